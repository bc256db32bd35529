"""Subinterpreters, each with a lock of its own where Python has that, at the same time."""

import sys
import threading

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

source = "def foo(x):\n    return x\nfor i in range(1000):\n    foo(i)\n"


def run():
    interpreter = interpreters.create()
    result = interpreters.run_string(interpreter, source)
    if result is not None:
        print(result)
    interpreters.destroy(interpreter)


threads = [threading.Thread(target=run) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
run()
print("done")
