import builtins

builtins.set_from_outside = 1
