from config import load

VALUE = load({}, no_such_keyword=True)
