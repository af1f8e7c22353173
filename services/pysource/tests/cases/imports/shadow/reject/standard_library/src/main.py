from types import Batch
