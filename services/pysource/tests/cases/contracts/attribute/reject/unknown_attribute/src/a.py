from spec import Plain, Spec

spec = Spec()
print(spec.size, spec.aug)


def use():
    plain = Plain()
    print(plain.kind, plain.value, plain.missing)
    return spec.other.deeper


def annotated(given: Spec, quoted: "Spec"):
    return given.size + given.wrong + quoted.wrong_too
