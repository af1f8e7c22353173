class Factory:
    def build(self):
        return 1
