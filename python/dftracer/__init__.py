"""DFTracer's Python interface on top of dftrace: programs written for pydftracer run unchanged.

``from dftracer.python import dftracer, dft_fn, ai`` and ``from dftracer.logger import dftracer, dft_fn``
are the same. docs/DFTRACER.md describes what is recorded and what differs.
"""
