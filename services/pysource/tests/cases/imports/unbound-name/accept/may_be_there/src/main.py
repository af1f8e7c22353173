import sys
from typing import TYPE_CHECKING

import injected

if TYPE_CHECKING:
    print(only_for_checkers)

try:
    profile
except NameError:
    def profile(function):
        return function

if sys.version_info < (3,):
    text = unicode
    number = some_old_name

print(set_from_outside, get_ipython)
