import numpy as np
import torchvision_extras
from helper import thing
