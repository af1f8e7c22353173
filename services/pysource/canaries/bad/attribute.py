from config import Config

config = Config()
VALUE = config.no_such_attribute
