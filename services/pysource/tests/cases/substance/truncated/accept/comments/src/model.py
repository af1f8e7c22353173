"""The rest of the code reads what stands here ... (unchanged)."""

# The rest of the code reads this ... and so do its tests.
RATE = 0.1  # unchanged since the first version
TEXT = "# ... rest of the code ..."


def rest(rows):
    # remaining rows
    return f"{rows} # (existing code)"
