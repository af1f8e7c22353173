"""Much on stderr, nothing on stdout."""
import sys

sys.stderr.write("e" * 200_000)
