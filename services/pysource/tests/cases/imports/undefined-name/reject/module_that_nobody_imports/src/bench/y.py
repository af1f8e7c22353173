import bench.y


def f():
    return 1
