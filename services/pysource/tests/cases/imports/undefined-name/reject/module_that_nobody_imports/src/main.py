import bench
import pkg

print(pkg.deep.f(), pkg.shown.f())
print(bench.x.f(), bench.y.f())
