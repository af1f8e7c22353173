import pkg.anything
