"""What ``dftracer.python.ai`` of DFTracer has."""

from dftracer.python.ai_init import *  # noqa: F403
from dftracer.python.ai_init import __all__ as _names
from dftracer.python.common import *  # noqa: F403
from dftracer.python.common import __all__ as _common_names
from dftracer.python.common import dft_fn as dft_fn_orig
from dftracer.python.common import dftracer as dftracer_orig

__all__ = [*_names, *_common_names, "dft_fn_orig", "dftracer_orig"]
