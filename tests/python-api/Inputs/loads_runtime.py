"""Records events without dftrace run."""

import dftrace

assert dftrace.is_tracing()
with dftrace.region("loaded", n=1):
    dftrace.instant("inside")
