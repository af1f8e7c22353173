from bench.y import f
