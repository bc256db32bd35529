"""Nothing of the runtime is in an untraced process."""

import sys

import dftrace

region = dftrace.region("region", values=[1])
with region:
    region.set(more=1)
function = len
assert region(function) is function and not dftrace.is_tracing()
assert dftrace.flow_begin() == 0
with open("/proc/self/maps", encoding="utf-8") as maps:
    found = "libdftrace" in maps.read()
assert not found and "dftrace.decorate" in sys.modules and "inspect" not in sys.modules
