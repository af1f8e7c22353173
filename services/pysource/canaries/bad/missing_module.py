import no_such_module_anywhere

VALUE = no_such_module_anywhere
