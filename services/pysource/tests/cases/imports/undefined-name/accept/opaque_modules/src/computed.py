exec("something = 1")
