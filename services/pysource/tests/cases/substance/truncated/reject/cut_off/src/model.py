def total(rows):
    found = sum(rows)
    retur
