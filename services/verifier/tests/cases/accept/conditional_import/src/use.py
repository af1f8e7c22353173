from fast import dumps

TEXT = dumps([1])
