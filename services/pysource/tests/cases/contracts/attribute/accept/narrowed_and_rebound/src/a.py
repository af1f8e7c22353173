import numpy as np
from spec import Child, Parent, Spec

spec = Spec()
spec = np.zeros(3)
print(spec.shape)


def use(given: Parent, other: Spec):
    if isinstance(given, Child):
        print(given.b)
    if hasattr(other, "extra"):
        print(other.extra)
    return given


def rebound(given: Spec):
    given = np.zeros(3)
    return given.shape


def inherited(given: Parent):
    return given.b


def tried():
    made = Spec()
    try:
        return made.missing
    except AttributeError:
        return None
