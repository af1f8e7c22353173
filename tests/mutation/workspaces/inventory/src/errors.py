"""What can go wrong."""


class InventoryError(Exception):
    """Anything about the stock."""


class OutOfStock(InventoryError):
    """Less is there than was asked for."""

    def __init__(self, name: str, wanted: int, present: int) -> None:
        super().__init__(f"{wanted} of {name} wanted, {present} there")
        self.name = name
        self.missing = wanted - present
