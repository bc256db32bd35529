"""Finds the runtime for a program that is to be traced, but was not started by `dftrace run`."""

import os

_OFF = ("", "0", "false", "no", "off")


def load_runtime(load):
    """Calls load(path) with places of the library, until it returns True, if a trace is asked for."""
    if os.environ.get("DFTRACER_ENABLE", "").lower() in _OFF:
        return
    here = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.join(here, "..", "..")  # PREFIX/lib, of PREFIX/lib/dftrace-python/dftrace
    for folder in (here, installed, ""):
        if load(os.path.join(folder, "libdftrace.so")):
            return
