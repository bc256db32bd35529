"""The same as ``dftracer.python.logger``."""

from dftracer.python.logger import *  # noqa: F403
from dftracer.python.logger import __all__
