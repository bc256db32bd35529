"""Decorators: functions of every kind with a region around each call."""

import functools
import inspect
from types import coroutine
from typing import Any, Callable, Optional

from dftracer.python import _engine

# Called with the arguments of the function; returns what `end` gets, or None if the call is not recorded.
Begin = Callable[[tuple, dict], Any]
# Called when the call has ended, also by an exception.
End = Callable[[Any], None]


def name_of(func: Any) -> str:
    """The name of the event of a function."""
    func = getattr(func, "__func__", func)
    return getattr(func, "__qualname__", None) or type(func).__qualname__


def wrap(func: Any, begin: Begin, end: End, slices: "Slices") -> Any:
    """The function with a region around each call. Static and class methods stay what they are.

    A generator function's region is its call, which ends before the first item. A coroutine has one region for each
    of its activations: it records them itself, with ``slices``.
    """
    if isinstance(func, (staticmethod, classmethod)):
        return type(func)(wrap(func.__func__, begin, end, slices))
    if inspect.iscoroutinefunction(func):
        @functools.wraps(func)
        async def call_coroutine(*args: Any, **kwargs: Any) -> Any:
            return await _drive(func(*args, **kwargs), slices(args, kwargs))

        return call_coroutine

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        region = begin(args, kwargs)
        try:
            return func(*args, **kwargs)
        finally:
            if region is not None:
                end(region)

    return call


class Slice:
    """What is recorded of the activations of a coroutine: name, category, and a region with the values."""

    __slots__ = ("name", "category", "region")

    def __init__(self, name: str, category: str, region: Any) -> None:
        self.name = name
        self.category = category
        self.region = region

    def record(self, start: int) -> None:
        """One activation, which ends now. Only the first one counts as a call of the function."""
        _engine.record(self.name, self.category, start, self.region.values or None)
        if not self.name.endswith(" (resumed)"):
            self.name += " (resumed)"


Slices = Callable[[tuple, dict], Optional[Slice]]


@coroutine
def _drive(inner: Any, slices: Optional[Slice]) -> Any:
    """Runs a coroutine, and records each of its activations: from where it is resumed to where it waits."""
    if slices is None:
        return (yield from inner)
    resume: Callable[[], Any] = lambda: inner.send(None)
    try:
        while True:
            start = _engine.now()
            try:
                awaited = resume()
            except StopIteration as ended:
                return ended.value
            finally:
                slices.record(start)
            try:
                value = yield awaited
                resume = functools.partial(inner.send, value)
            except GeneratorExit:
                inner.close()
                raise
            except BaseException as error:
                resume = functools.partial(inner.throw, error)
    finally:
        slices.region.close()
