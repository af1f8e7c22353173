__path__ = ["elsewhere"]
