"""Ends with an exception."""

raise ValueError("this is what it does")
