"""The same as ``dftracer.python``: dftrace has one build for all purposes."""

from dftracer.python import *  # noqa: F403
from dftracer.python import __all__
