"""Values are set by others."""
