class Model:
    """The model."""
