"""An interface for other people's classes."""


class Handler:
    def start(self, name):
        """Called at the start."""

    def end(self, name):
        raise NotImplementedError

    def run(self, names):
        for name in names:
            self.start(name)
            self.end(name)


def hook(name):
    """Named in a table of hooks."""


HOOKS = [hook]
