"""Events of ``torch.profiler``."""

from typing import Any, Dict

from dftracer.python import _engine
from dftracer.python.common import profiler

CATEGORY = "PP"


def _time(event: Any, attribute: str) -> float:
    return float(getattr(event, attribute, 0) or 0)


def _values(event: Any, whole_cpu: float, whole_device: float) -> Dict[str, Any]:
    return {
        "device": str(getattr(event, "device_type", "")),
        "cpu_memory": int(getattr(event, "cpu_memory_usage", 0) or 0),
        "is_remote": bool(getattr(event, "is_remote", False)),
        "device_memory_usage": int(getattr(event, "device_memory_usage", 0) or 0),
        "input_size": str(getattr(event, "input_shapes", "")),
        "total_cpu_percent": 100 * _time(event, "cpu_time_total") / whole_cpu if whole_cpu else 0.0,
        "total_device_percent": 100 * _time(event, "device_time_total") / whole_device if whole_device else 0.0,
        "thread": int(event.thread),
    }


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
    events = list(profiler_result.events())
    whole = [sum(_time(event, name) for event in events) for name in ("self_cpu_time_total", "self_device_time_total")]
    for event in sorted(events, key=lambda event: event.time_range.end):
        start = began + int(event.time_range.start)
        duration = int(event.time_range.end - event.time_range.start)
        profiler.log_event(str(event.name), CATEGORY, start, duration, int_args=_values(event, *whole))
