from m import (
    f,
    g,
    h as renamed,
)
