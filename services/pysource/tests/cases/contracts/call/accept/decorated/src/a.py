from m import Thing, query

query("select")
thing = Thing()
thing.size(1, 2)
thing.method()
