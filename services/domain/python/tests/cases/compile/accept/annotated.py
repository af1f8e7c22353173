from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Config:
    rate: float = 0.1


async def gather(*args: int, **kwargs: str) -> list[int]:
    return [value async for value in args[0]]
