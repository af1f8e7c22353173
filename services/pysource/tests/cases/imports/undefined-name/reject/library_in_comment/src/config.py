import pandas

LR = 0.1
