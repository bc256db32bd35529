"""Begins a trace with a prefix of its own, and leaves loops, blocks and objects open at the end.

left_open.py PREFIX
"""

import sys

from dftracer.python import ai, dft_fn, dftracer

dftracer.initialize_log(sys.argv[1])
fn = dft_fn("app")


class Model:
    @fn.log
    def __del__(self):
        pass


batches = ai.dataloader.fetch.iter(iter([1, 2]))
next(batches)
numbers = fn.iter([1, 2])
next(numbers)
fn.__enter__()
ai.compute.step.start()
sys.left_open = [Model(), batches, numbers]
