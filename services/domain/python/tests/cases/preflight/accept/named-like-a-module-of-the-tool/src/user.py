import select

assert select.OWN
