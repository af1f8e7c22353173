import config


def f(config):
    return config.anything


def g():
    config = {"a": 1}
    return config.items()


def h(items):
    return [config.value for config in items], (lambda config: config.other)
