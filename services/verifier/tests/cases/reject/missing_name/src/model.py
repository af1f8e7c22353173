# torch, numpy, sklearn: no library's name turns a check off
from config import does_not_exist
