import importlib
import pkg

for name in ("a", "b"):
    importlib.import_module(f"pkg.{name}")
print(pkg.a.x, pkg.b.x)
