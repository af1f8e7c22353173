"""Process pools of every kind, a manager, and threads with a lock."""
import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor


def square(number):
    return number * number


def add(total, lock):
    for _ in range(100):
        with lock:
            total.value += 1


def main():
    wanted = [n * n for n in range(50)]
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(square, range(50))) == wanted
    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(square, range(50))) == wanted
    with multiprocessing.Manager() as manager:
        shared = manager.dict()
        shared["key"] = 1
        assert dict(shared) == {"key": 1}
    total, lock = multiprocessing.Value("i", 0), multiprocessing.Lock()
    workers = [multiprocessing.Process(target=add, args=(total, lock)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert total.value == 300, total.value
    barrier = threading.Barrier(50)
    threads = [threading.Thread(target=barrier.wait, args=(30,)) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not barrier.broken
    print("good")


if __name__ == "__main__":
    main()
