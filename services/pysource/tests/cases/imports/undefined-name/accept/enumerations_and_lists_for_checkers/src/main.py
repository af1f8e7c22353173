import codes
import flags
from flags import FAST

print(FAST, flags.SMALL, codes.AF_INET)
