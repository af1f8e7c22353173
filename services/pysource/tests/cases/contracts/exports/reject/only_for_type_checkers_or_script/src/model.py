from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data import build

if __name__ == "__main__":
    settings = 1
    print(settings)
