from ..a import b
