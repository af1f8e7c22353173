import config.LR
