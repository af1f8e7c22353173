from flags import *
