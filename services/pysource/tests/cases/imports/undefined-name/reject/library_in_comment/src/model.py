# torch, tensorflow, numpy, pandas
from config import does_not_exist
