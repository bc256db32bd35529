"""Python's regions around and inside functions of a library that the plugin has compiled."""

import ctypes

import dftrace

library = ctypes.CDLL("./libnative.so")
inner = dftrace.region("inner", n=1)


@ctypes.CFUNCTYPE(None)
def callback():
    library.leaf()
    with inner:
        library.leaf()
    library.leaf()


with dftrace.region("outer"):
    library.leaf()
    library.work(callback)
    library.leaf()
