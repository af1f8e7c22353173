from config import Base, Child, Keywords, Mixed

Base()
Child(0.1, 1, 2, [], 5)
Child(seed=1)
Keywords(1)
Keywords()
Mixed(1, 2)
Base(0.1, lr=0.2)
Base(0.1)
Child(0.1, 1, 2, ["a"])
Keywords(a=1)
Mixed(1, b=2)
