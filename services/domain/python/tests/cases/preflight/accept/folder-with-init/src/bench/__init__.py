from bench.x import f as f
