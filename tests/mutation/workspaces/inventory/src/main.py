"""Buys and sells."""

from decimal import Decimal

import errors
from errors import InventoryError, OutOfStock
from items import Item, Kind, Perishable
from stock import LimitedStock, Stock


def sell(stock: Stock, item: Item, count: int) -> str:
    try:
        return str(stock.take(item, count=count))
    except InventoryError as error:
        assert isinstance(error, OutOfStock)
        return f"{error.name}: {error.missing} missing"


def main() -> None:
    hammer = Item("hammer", Decimal("10.00"))
    milk = Perishable("milk", Decimal("1.00"), kind=Kind.FOOD, days=1)
    stock = LimitedStock(room=12)
    stock.put(hammer, 3)
    stock.put(milk, count=5)
    stock.put(Perishable(name="bread", price=Decimal("2.00"), kind=Kind.FOOD))
    assert sell(stock, hammer, 2) == "23.80"
    assert sell(stock, hammer, 2) == "hammer: 1 missing"
    assert sell(stock, milk, 2) == "1.08"
    assert stock.count(hammer) == 1
    assert next(stock.of_kind(Kind.TOOL)).name == "hammer"
    assert stock.worth() == Decimal("15.00")
    assert stock.total() == 5
    try:
        stock.put(hammer, 100)
    except ValueError as error:
        assert "room" in str(error)
    else:
        raise AssertionError("too many have to be refused")
    plain = Stock()
    plain.put(hammer)
    assert plain.count(hammer) == 1
    assert issubclass(errors.OutOfStock, errors.InventoryError)


if __name__ == "__main__":
    main()
