# numpy is mentioned here
from .config import (
    LR,
    EPOCHS,  # a comment
)
