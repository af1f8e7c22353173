from base import first

VALUE = first()
