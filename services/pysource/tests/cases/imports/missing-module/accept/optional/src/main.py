import contextlib
import sys
from importlib.util import find_spec

try:
    import wandb
except ImportError:
    wandb = None

try:
    import ujson as json
except Exception:
    import simplejson as json

with contextlib.suppress(ImportError):
    import rich

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if find_spec("tqdm"):
    import tqdm

HAS_TORCH = find_spec("torch") is not None
if HAS_TORCH:
    import torch


def log():
    if wandb is not None:
        import wandb.sdk
