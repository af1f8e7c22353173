from pkg.deep.leaf import f as shown

TABLE = {"a": "b"}
version = "1"
