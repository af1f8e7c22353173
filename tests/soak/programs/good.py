"""Does some work in two processes, and leaves a result and a temporary file behind."""

import multiprocessing
import os
import tempfile


def main():
    with multiprocessing.Pool(2) as pool:
        total = sum(pool.map(abs, range(100)))
    with open(os.path.join(os.environ["OUT"], "result"), "w") as file:
        file.write(str(total))
    handle, _ = tempfile.mkstemp()
    os.write(handle, bytes(1 << 16))
    print(total)


if __name__ == "__main__":
    main()
