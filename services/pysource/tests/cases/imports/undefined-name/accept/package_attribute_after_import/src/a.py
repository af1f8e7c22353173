import bench
import bench.x
import bench.y

print(bench.x.f(), bench.y.g())
