raise ValueError("\ud800")
