"""Each subinterpreter has a module of its own; from 3.12 on, also with a lock of its own. Prints how many interpreters there were."""

import threading

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

CODE = """
import dftrace
region = dftrace.region("inner")
@dftrace.region("decorated")
def function():
    with region:
        region.set(n=1)
for _ in range(100):
    function()
dftrace.track("shared").instant("done")
"""


def run():
    made = interpreters.create()
    failed = interpreters.run_string(made, CODE)
    assert failed is None, failed
    interpreters.destroy(made)


threads = [threading.Thread(target=run) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
import dftrace  # noqa: E402

with dftrace.region("outer"):
    pass
