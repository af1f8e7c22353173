from a import LIMIT


class C:
    limit = LIMIT
