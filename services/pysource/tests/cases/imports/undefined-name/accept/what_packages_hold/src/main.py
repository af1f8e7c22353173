import importlib

import pkg
import pkg.deep.leaf
from pkg import deep, shown, version
from pkg.deep import leaf as renamed
from pkg.deep.leaf import f
from plain import inner

leaf = importlib.import_module("pkg.deep.leaf")
print(pkg.deep.leaf.f(), deep.leaf.f(), shown(), version, renamed.f(), f(), inner.x, leaf.f(), pkg.__path__)
print(pkg.__name__, pkg.shown.__doc__, pkg.TABLE["a"].upper())
if hasattr(pkg, "extra"):
    print(pkg.extra)
print(getattr(pkg, "absent", None))
try:
    print(pkg.gone)
except AttributeError:
    print("gone")
