"""The same as ``dftracer.python.logger``: dftrace has one build for all purposes."""

from dftracer.python.logger import *  # noqa: F403
from dftracer.python.logger import __all__
