"""torch's DataLoader with two workers; runs only where torch is there."""

import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    data = TensorDataset(torch.arange(100).float(), torch.arange(100))
    seen = sum(len(batch) for batch, _ in DataLoader(data, batch_size=10, num_workers=2))
    assert seen == 100


if __name__ == "__main__":
    main()
