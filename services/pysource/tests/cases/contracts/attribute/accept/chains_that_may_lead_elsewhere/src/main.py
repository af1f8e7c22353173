from parts import Base, Both, Plain, Wide


class Holder:
    def __init__(self, base: Base, plain: Plain, twice: Plain, asked: Plain) -> None:
        self.base = base
        self.plain = plain
        self.twice = twice
        self.asked = asked
        self.pair, self.other = Plain(), Plain()
        plain.added = 1
        made = Plain()
        if base.size:
            made = Wide(1)
        self.made = made

    def again(self):
        self.twice = Wide(2)

    def use(self):
        self.base.step(1.0, 2)
        self.base.extra()
        self.base.mixed()
        self.plain.added
        self.twice.extra()
        self.pair.anything
        self.made.extra()
        if hasattr(self.asked, "more"):
            self.asked.more()
        try:
            self.plain.absent
        except AttributeError:
            pass
        return self.base.copy().extra(), Base(1).copy().mixed()


Holder(Both(1), Plain(), Plain(), Plain()).use()
