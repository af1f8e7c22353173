def total(rows):
    found = 0
    for row in rows:
        found += row
    if found < 0:
        rai
