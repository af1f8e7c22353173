try:
    import no_such_package_anywhere
except ImportError as error:
    raise RuntimeError("please install it") from error
