"""Plants one fault at a time into a correct workspace. Must not decide whether it is caught."""
