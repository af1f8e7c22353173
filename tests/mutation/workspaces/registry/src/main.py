"""Uses every transform."""

import plugins
from pipeline import Pipeline
from plugins import Reverse, Shout, available
from plugins.text import MARK


def main() -> None:
    assert available() == ["reverse", "shout"]
    line = Pipeline.from_names("reverse", "shout", times=1)
    assert line.run("abc") == "CBA!"
    line.add(Shout(times=2, mark="?")).add(Reverse())
    assert line.run(" ab", strip=True) == "??! AB"
    assert plugins.create("shout", mark=MARK * 2).apply("a") == "A!!"
    assert issubclass(plugins.Shout, plugins.Transform)
    try:
        plugins.register("shout")(Reverse)
    except KeyError as error:
        assert "shout" in str(error)
    else:
        raise AssertionError("the same name twice has to be refused")


if __name__ == "__main__":
    main()
