import sys
import types

sys.modules[__name__] = types.SimpleNamespace(answer=42)
