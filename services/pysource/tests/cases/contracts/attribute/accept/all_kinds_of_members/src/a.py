from spec import Slotted, Spec

spec = Spec(a=1, b=2, scale=3, names=[])
print(spec.a, spec.KIND, spec.b, spec.scale, spec.names, spec.other, spec.c, spec.d, spec.e)
print(spec.f, spec.g, spec.h, spec.area, spec.load(), spec.Inner, spec.helper(), spec.__class__)
slotted = Slotted()
print(slotted.u, slotted.v)
