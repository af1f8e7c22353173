import os
import time


def run(config, recorder):
    child = os.fork()
    if child == 0:
        time.sleep(0.2)
        recorder.metric("forged", 1, "count")
        return "from the child"
    os.waitpid(child, 0)
    return "from the parent"
