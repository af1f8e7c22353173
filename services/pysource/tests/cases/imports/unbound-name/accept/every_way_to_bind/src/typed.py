from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import datetime as dt
    from decimal import Decimal
    from pathlib import Path
else:
    Path = str


def now() -> dt.datetime:
    import datetime as dt

    return dt.datetime.now()


def amount(text: str) -> Decimal:
    later: Decimal | None = None
    return cast("Decimal", later or text)


def folder() -> Path:
    return Path("x")


if TYPE_CHECKING:

    class Money(Decimal):
        pass
