"""Events of ``torch.profiler``."""

import os
from typing import Any, Dict

from dftracer.python import _engine
from dftracer.python._values import plain
from dftracer.python.common import profiler

CATEGORY = "PP"


def _values(event: Any) -> Dict[str, Any]:
    values = {"device": str(getattr(event, "device_type", "")), "cpu_memory": getattr(event, "cpu_memory_usage", 0),
              "is_remote": bool(getattr(event, "is_remote", False)),
              "device_memory_usage": getattr(event, "device_memory_usage", 0),
              "input_size": str(getattr(event, "input_shapes", ""))}
    for key, own, total in (("total_cpu_percent", "self_cpu_time_total", "cpu_time_total"),
                            ("total_device_percent", "self_device_time_total", "device_time_total")):
        whole = float(getattr(event, total, 0) or 0)
        values[key] = 100 * float(getattr(event, own, 0) or 0) / whole if whole else 0.0
    return {key: plain(value) for key, value in values.items()}


def _began_at(profiler_result: Any) -> int:
    """When the profile began, in microseconds since 1970: its events have times since then."""
    result = getattr(getattr(profiler_result, "profiler", None), "kineto_results", None)
    if result is None:
        return 0
    if hasattr(result, "trace_start_ns"):
        return int(result.trace_start_ns()) // 1000
    return int(result.trace_start_us())


def trace_handler(profiler_result: Any) -> None:
    """For ``torch.profiler.profile(on_trace_ready=trace_handler)``: records all events of the profile."""
    if not _engine.is_on:
        return
    began = _began_at(profiler_result)
    for event in sorted(profiler_result.events(), key=lambda event: event.time_range.end):
        start = began + int(event.time_range.start)
        duration = int(event.time_range.end - event.time_range.start)
        values = {**_values(event), "thread": int(event.thread), "pid": os.getpid()}
        profiler.log_event(str(event.name), CATEGORY, start, duration, int_args=values)
