"""Open regions: what decorators, context managers and loops have begun and not yet ended.

The open regions of a thread or asyncio task are a chain, innermost first. Regions may end in any order, as those in
generators do: one that has ended is skipped.
"""

import os
from contextvars import ContextVar
from typing import Any, Dict, Optional

from dftracer.python import _engine


class Region:
    """A region that has begun. ``inherited`` is what regions of the same owner inside this one begin with, and
    ``is_written`` means that nothing is to be recorded when it ends."""

    __slots__ = ("owner", "start", "values", "inherited", "outer", "is_open", "is_written", "call")

    def __init__(self, owner: Any, values: Dict[str, Any], inherited: Dict[str, Any], is_recorded: bool = True) -> None:
        self.owner = owner
        self.values = values
        self.inherited = inherited
        self.is_open = True
        self.is_written = not is_recorded
        self.call: tuple = ()  # the arguments of the call, if they are looked at when it ends
        self.outer = _innermost.get()
        _innermost.set(self)
        self.start = _engine.now() if is_recorded else 0

    def update(self, values: Dict[str, Any]) -> None:
        """Values of this region, and of those that begin inside it."""
        self.values.update(values)
        self.inherited = {**self.inherited, **values}

    def write(self, name: str, category: str) -> None:
        """Records the time from the start of the region until now."""
        _engine.record(name, category, self.start, self.values or None)

    def close(self) -> bool:
        """Ends the region. False if it has ended before, or belongs to the parent of a forked child."""
        was_open = self.is_open
        self.is_open = False
        innermost = _innermost.get()
        while innermost is not None and not innermost.is_open:
            innermost = innermost.outer
        _innermost.set(innermost)
        return was_open


_innermost: "ContextVar[Optional[Region]]" = ContextVar("dftracer_innermost_region", default=None)


def find(owner: Any) -> Optional[Region]:
    """The innermost open region of this owner in the calling thread or task."""
    region = _innermost.get()
    while region is not None and not (region.is_open and region.owner is owner):
        region = region.outer
    return region


def _forget_all() -> None:
    """In a forked child: the parent's regions end in the parent."""
    region = _innermost.get()
    while region is not None:
        region.is_open = False
        region = region.outer
    _innermost.set(None)


if _engine.is_on:
    os.register_at_fork(after_in_child=_forget_all)
