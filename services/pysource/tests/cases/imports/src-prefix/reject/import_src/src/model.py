import src.config
import src
from src import config
import src.config as c, json
