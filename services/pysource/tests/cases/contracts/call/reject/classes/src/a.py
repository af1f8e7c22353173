from models import Base, Child, Plain

Base()
Child(1, 2, 3)
Child(size=1, width=2)
Plain(1)
Child.parse()
Child.load("x", True, 3)
Child.load("x", stricter=True)
child = Child(1)
child.run()
child.parse("a", "b")
Child.run(child)
Child(size=1, depth=3).run(4)
