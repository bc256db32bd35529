"""Prints whether events are recorded, before any other use."""

import dftrace

print(dftrace.is_tracing())
dftrace.resume()
print(dftrace.is_tracing())
