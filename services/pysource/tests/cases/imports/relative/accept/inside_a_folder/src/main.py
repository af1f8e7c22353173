from bench.deep.y import f
