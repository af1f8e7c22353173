import torch


def run(config, recorder):
    return torch.__version__
