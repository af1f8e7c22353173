for name in ("anything", "else"):
    globals()[name] = name
