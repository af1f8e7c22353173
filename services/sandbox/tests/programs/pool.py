"""A process pool with locks, a queue and shared memory, as data loaders use them."""
import multiprocessing
from multiprocessing import shared_memory


def square(x):
    return x * x


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(3) as pool:
            print(method, sum(pool.map(square, range(100))))
    block = shared_memory.SharedMemory(create=True, size=1 << 20)
    block.buf[0] = 7
    print("shared", block.buf[0])
    block.close()
    block.unlink()
    lock, queue = multiprocessing.Lock(), multiprocessing.Queue()
    with lock:
        queue.put("queued")
    print(queue.get(timeout=5))
