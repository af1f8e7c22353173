from hub import f, g, sub
from hub.sub import x
import hub

hub.f()
hub.sub.x
from numbers_hub import array
