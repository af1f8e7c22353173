try:
    import wandb
except ImportError:
    raise
