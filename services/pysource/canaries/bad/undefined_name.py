from config import not_defined_there

VALUE = not_defined_there
