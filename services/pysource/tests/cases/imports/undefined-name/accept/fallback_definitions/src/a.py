import pkg
import pkg.sub
from m import FIRST, HAVE_FAST, LATER, REST, SEPARATOR, Holder, batched, dot, found, last, other, own_text, parse, set_it
from pkg import anything, lazy, sub

print(pkg.lazy.VALUE, pkg.sub.VALUE, Holder.inner)
