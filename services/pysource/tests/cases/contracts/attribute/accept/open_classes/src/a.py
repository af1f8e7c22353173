from spec import Child, Dynamic, Loader, Made, Mapped

dynamic = Dynamic()
loader = Loader()
mapped = Mapped()
child = Child()
made = Made()
print(dynamic.b, loader.b, mapped.b, child.b, made.b, made.extra)
