from bench.x import f

assert f() == 1
