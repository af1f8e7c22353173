"""Things that are measured."""
