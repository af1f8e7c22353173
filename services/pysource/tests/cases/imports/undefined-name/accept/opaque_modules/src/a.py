from dynamic import anything
from computed import something
from own import other
