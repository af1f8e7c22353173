from bench.x import f

VALUE = f()
