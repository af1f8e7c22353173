import dataset
import model
from utils import text
