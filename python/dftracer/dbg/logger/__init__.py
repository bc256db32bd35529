"""The same as ``dftracer.logger``: dftrace has one build for all purposes."""

from dftracer.logger import *  # noqa: F403
from dftracer.logger import __all__
