"""Plants one fault at a time into a correct workspace. It must not decide whether a fault is caught."""
