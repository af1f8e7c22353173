for name in ("red", "green"):
    globals()[name] = name

print(red)
