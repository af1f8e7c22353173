from bench.y import f
import bench.z
