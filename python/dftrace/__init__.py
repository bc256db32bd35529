"""Events of a Python program in a trace of dftrace: regions, instants, counters, tracks, flows.

    import dftrace

    with dftrace.region("load", file=path) as load:
        data = read(path)
        load.set(bytes=len(data))

Everything does nothing in a program that is not traced. `dftrace run python3 program.py` traces it.
"""

try:
    from ._dftrace import load as _load
except ModuleNotFoundError:  # built without a C compiler
    from . import nothing as _functions
except ImportError as _error:
    import warnings as _warnings

    from . import nothing as _functions

    _warnings.warn(f"dftrace records nothing: {_error}", RuntimeWarning, stacklevel=2)
else:
    from . import _dftrace as _functions
    from .find import load_runtime as _load_runtime

    _load_runtime(_load)

Region = _functions.Region
Track = _functions.Track
counter = _functions.counter
counter_add = _functions.counter_add
disable = _functions.disable
enable = _functions.enable
flow_begin = _functions.flow_begin
flow_end = _functions.flow_end
flow_step = _functions.flow_step
flush = _functions.flush
instant = _functions.instant
is_tracing = _functions.is_tracing
metadata = _functions.metadata
pause = _functions.pause
region = _functions.region
resume = _functions.resume
thread_name = _functions.thread_name
track = _functions.track

__all__ = [
    "Region",
    "Track",
    "counter",
    "counter_add",
    "disable",
    "enable",
    "flow_begin",
    "flow_end",
    "flow_step",
    "flush",
    "instant",
    "is_tracing",
    "metadata",
    "pause",
    "region",
    "resume",
    "thread_name",
    "track",
]
