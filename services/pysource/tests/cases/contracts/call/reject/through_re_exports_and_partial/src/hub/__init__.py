from hub.impl import build as make
from hub.impl import *
