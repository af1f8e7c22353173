VALUE = "in the way of the standard library"
