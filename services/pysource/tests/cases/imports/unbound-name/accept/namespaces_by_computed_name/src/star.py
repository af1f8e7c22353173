from os.path import *

print(join)
