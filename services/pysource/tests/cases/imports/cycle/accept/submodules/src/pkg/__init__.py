from pkg import a, b
from pkg.a import f
