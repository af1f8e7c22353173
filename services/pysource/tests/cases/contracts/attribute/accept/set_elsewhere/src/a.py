from spec import Loose, Spec, override

spec = Spec()
spec.late = 3
print(spec.late)
loose = Loose()
override(loose, {"b": 1})
print(loose.b)
