from ..config import (
    LR,
)
