# numpy, torch
from config import does_not_exist
