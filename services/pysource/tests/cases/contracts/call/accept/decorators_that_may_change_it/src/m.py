import contextlib
import functools


def tolerant(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except TypeError:
            return function(*args)

    return wrapper


def quiet(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with contextlib.suppress(TypeError):
            return function(*args, **kwargs)

    return wrapper


def without_debug(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        kwargs.pop("debug", None)
        return function(*args, **kwargs)

    return wrapper


def maybe(enabled):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        if not enabled:
            return lambda *args, **kwargs: None
        return wrapper

    return decorate


def threaded(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return functools.partial(function, *args, **kwargs)

    return wrapper


def rewritten(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    wrapper = functools.partial(wrapper, 1)
    return wrapper


def several(function):
    handlers = {}

    @functools.wraps(function)
    def wrapper(*args):
        if args in handlers:
            return handlers[args](*args)
        return function(*args)

    wrapper.handlers = handlers
    return wrapper


def shortened(function):
    @functools.wraps(function)
    def wrapper(*args):
        args = args[:1]
        return function(*args)

    return wrapper


@several
def g(x):
    return x


@shortened
def h(x):
    return x


@tolerant
def a(x):
    return x


@quiet
def b(x):
    return x


@without_debug
def c(x):
    return x


@maybe(False)
def d(x):
    return x


@threaded
def e(x):
    return x


@rewritten
def f(x, y):
    return x, y


class Model:
    def fit(self, *data):
        return self

    def __getattr__(self, name):
        return lambda *args: args


def make():
    return Model()
