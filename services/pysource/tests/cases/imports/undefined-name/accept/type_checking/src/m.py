from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Alias = int
