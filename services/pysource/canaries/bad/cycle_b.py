from cycle_a import a

b = a
