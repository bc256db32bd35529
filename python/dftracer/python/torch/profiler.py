"""What ``dftracer.python.torch.profiler`` of DFTracer has."""

from dftracer.python.torch.common import trace_handler

__all__ = ["trace_handler"]
