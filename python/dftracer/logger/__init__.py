"""The import style of DFTracer 1: ``from dftracer.logger import dftracer, dft_fn``."""

from importlib import import_module

from dftracer.logger.ai import *  # noqa: F403
from dftracer.python import *  # noqa: F403
from dftracer.python import __all__

logger = import_module("dftracer.logger.logger")  # the submodule, as in DFTracer 1
