"""The same as ``dftracer.python.torch``."""

from dftracer.python.torch import trace_handler

__all__ = ["trace_handler"]
