"""The same as ``dftracer.python.ai``: dftrace has one build for all purposes."""

from dftracer.python.ai import *  # noqa: F403
from dftracer.python.ai import __all__
