PATTERN = "\d+"  # a warning, and warnings are no verdict
