"""DFTracer's Python interface: ``from dftracer.python import dftracer, dft_fn, ai``."""

from dftracer.python.ai import *  # noqa: F403
from dftracer.python.ai import __all__ as _ai_names
from dftracer.python.dynamo import Dynamo, create_backend, dynamo
from dftracer.python.logger import *  # noqa: F403
from dftracer.python.logger import __all__ as _logger_names

# The submodules of these names have become attributes of the package; these are the objects.
from dftracer.python.ai_init import ai  # isort: skip

__all__ = sorted({*_ai_names, *_logger_names, "Dynamo", "create_backend", "dynamo"})
