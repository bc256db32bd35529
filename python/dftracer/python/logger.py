"""What ``dftracer.python.logger`` of DFTracer has."""

from dftracer.python.common import *  # noqa: F403
from dftracer.python.common import __all__ as _names

logger = setup_stream_logger()  # noqa: F405

__all__ = [*_names, "logger"]
