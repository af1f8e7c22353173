import m
import pkg.n as n


def use():
    return m.missing(1), n.absent, m.f()
