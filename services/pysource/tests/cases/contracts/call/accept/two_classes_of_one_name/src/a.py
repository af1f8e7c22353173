import first
import second
from first import Meter

Meter().compute(1)
meter = second.Meter()
meter.compute(1, 2)
own = first.Meter()
own.compute(1)
