"""A database in a file, with a write-ahead log in shared memory, and two connections."""
import sqlite3

first = sqlite3.connect("data.db")
assert first.execute("pragma journal_mode=wal").fetchone() == ("wal",)
first.execute("create table numbers (n integer primary key, text)")
with first:
    first.executemany("insert into numbers values (?, ?)", [(n, str(n)) for n in range(10_000)])
second = sqlite3.connect("data.db")
assert second.execute("select sum(n) from numbers").fetchone() == (49_995_000,)
second.execute("create temporary table mine as select * from numbers order by text")
second.execute("vacuum into 'copy.db'")
first.close()
second.close()
print("good")
