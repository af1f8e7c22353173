def name(value):
    match value:
        case {"kind": str(kind)}:
            return kind
        case _:
            return None
