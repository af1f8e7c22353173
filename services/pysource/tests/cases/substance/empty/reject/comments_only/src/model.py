# The model.
"""Nothing here yet."""
pass
