build = 1
