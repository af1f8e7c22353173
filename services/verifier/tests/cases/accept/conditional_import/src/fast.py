try:
    import no_such_accelerator as impl
except ImportError:
    import json as impl


def dumps(value):
    return impl.dumps(value)
