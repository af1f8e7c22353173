from lazy import whatever
import lazy

lazy.anything()
