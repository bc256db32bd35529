"""What ``dftracer.python.common`` of DFTracer has: classes, enums and functions, under the names that it gives them."""

from dftracer.python._function import dft_fn
from dftracer.python._parameters import get_default_args
from dftracer.python._tracer import capture_signal, dftracer, get_time_scale, profiler, setup_logger
from dftracer.python._types import (EntityID, EntityRelation, EntityRole, EntityStore, NoOpProfiler, ProfilerProtocol,
                                    TagDType, TagType, TagValue, TagValueTuple)
from dftracer.python.env import (DFTRACER_ENABLE, DFTRACER_ENABLE_ENV, DFTRACER_INIT_ENV, DFTRACER_INIT_PRELOAD,
                                 DFTRACER_LOG_LEVEL, DFTRACER_LOG_LEVEL_ENV, DFTRACER_TIME_METRIC_ENV,
                                 setup_stream_logger)

__all__ = [
    "DFTRACER_ENABLE", "DFTRACER_ENABLE_ENV", "DFTRACER_INIT_ENV", "DFTRACER_INIT_PRELOAD", "DFTRACER_LOG_LEVEL",
    "DFTRACER_LOG_LEVEL_ENV", "DFTRACER_TIME_METRIC_ENV", "EntityID", "EntityRelation", "EntityRole", "EntityStore",
    "NoOpProfiler", "ProfilerProtocol", "TagDType", "TagType", "TagValue", "TagValueTuple", "capture_signal", "dft_fn",
    "dftracer", "get_default_args", "get_time_scale", "profiler", "setup_logger", "setup_stream_logger",
]
