from m import *
from m import g as g
