"""The switches of the environment, read once, when the package is imported."""

import logging
import os

from dftracer.python import _engine

DFTRACER_ENABLE_ENV = "DFTRACER_ENABLE"
DFTRACER_INIT_ENV = "DFTRACER_INIT"
DFTRACER_LOG_LEVEL_ENV = "DFTRACER_LOG_LEVEL"
DFTRACER_TIME_METRIC_ENV = "DFTRACER_TIME_METRIC"

DFTRACER_ENABLE: bool = _engine.is_asked
DFTRACER_INIT_PRELOAD: bool = os.environ.get(DFTRACER_INIT_ENV, "PRELOAD") == "PRELOAD"
DFTRACER_LOG_LEVEL: str = os.environ.get(DFTRACER_LOG_LEVEL_ENV, "ERROR")


def setup_stream_logger() -> logging.Logger:
    """The logger ``DFTRACER``, which writes to stderr with the level DFTRACER_LOG_LEVEL."""
    logger = logging.getLogger("DFTRACER")
    level = logging.getLevelName(DFTRACER_LOG_LEVEL.upper())
    logger.setLevel(level if isinstance(level, int) else logging.ERROR)
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("[%(name)s %(levelname)s] %(message)s"))
        logger.addHandler(handler)
        logger.propagate = False
    return logger
