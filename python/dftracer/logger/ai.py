"""The same as ``dftracer.python.ai``."""

from dftracer.python.ai_init import *  # noqa: F403
from dftracer.python.ai_init import __all__
