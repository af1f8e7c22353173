from tables import Table
from util import f
