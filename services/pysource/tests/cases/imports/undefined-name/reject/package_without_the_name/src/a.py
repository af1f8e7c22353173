from pkg import helper
from folder import other
