"""``DFTracerAI``: one event of a training program, as decorator, context manager, loop and more.

Nodes form a tree: what is enabled, disabled and updated at a node also is at those below it. Values of ``update``
hold for all later events, in every thread.
"""

import time
from threading import get_ident
from typing import Any, Callable, Dict, Iterable, Iterator, Optional, TypeVar

from dftracer.python import _engine
from dftracer.python._names import (CTX_SEPARATOR, INIT_NAME, ITER_COUNT_NAME, START_METADATA_NAME, STOP_METADATA_NAME,
                                    get_iter_block_name, get_iter_handle_name)
from dftracer.python._regions import Region, find
from dftracer.python._tracer import profiler
from dftracer.python._values import of_update
from dftracer.python._wrap import Slice, wrap

T = TypeVar("T")


class _DFTracerAI:
    """A node without children."""

    def __init__(self, cat: str, name: Optional[str] = None, epoch: Optional[int] = None, step: Optional[int] = None,
                 image_idx: Optional[int] = None, image_size: Optional[Any] = None, enable: bool = True) -> None:
        self._cat = cat
        self._name = name or cat
        self._texts = tuple(str(getattr(text, "value", text)) for text in (self._name, self._cat))
        self._values = of_update(epoch, step, image_idx, image_size, None)
        self._is_enabled = bool(enable)
        self._begun: Dict[int, int] = {}  # by thread: when `start` was called

    @property
    def cat(self) -> str:
        """The category of the event."""
        return self._cat

    @property
    def name(self) -> str:
        """The name of the event."""
        return self._name

    def get_time(self) -> int:
        """Microseconds since 1970; 0 if nothing is recorded."""
        return profiler.get_time()

    def _is_recorded(self) -> bool:
        return self._is_enabled and _engine.is_on

    def _all_values(self) -> Dict[str, Any]:
        return self._values

    def _record(self, name: str, start: int, values: Optional[Dict[str, Any]] = None) -> None:
        all_values = {**self._all_values(), **(values or {})}
        _engine.record(name, self._texts[1], start, all_values or None)

    # --- decorator ---

    def __call__(self, fn: Optional[Callable[..., Any]] = None, *, enable: Optional[bool] = None,
                 epoch: Optional[int] = None, step: Optional[int] = None, image_idx: Optional[int] = None,
                 image_size: Optional[Any] = None, args: Optional[Dict[str, Any]] = None) -> Any:
        """Decorates a function. Without one: a node with these values, which is a decorator or context manager."""
        node: _DFTracerAI = self
        if fn is None or enable is False or epoch is not None or step is not None or image_idx is not None \
                or image_size is not None or args:
            node = _Copy(self, enable is not False, of_update(epoch, step, image_idx, image_size, args))
        return node if fn is None else node._decorate(fn)

    def _decorate(self, fn: Any) -> Any:
        if not _engine.is_on:
            return fn

        def begin(args: tuple, kwargs: dict) -> Optional[Region]:
            return Region(self, {}, {}) if self._is_recorded() else None

        def end(region: Region) -> None:
            if region.close():
                self._record(self._texts[0], region.start)

        def slices(args: tuple, kwargs: dict) -> Optional[Slice]:
            if not self._is_recorded():
                return None
            return Slice(*self._texts, Region(self, dict(self._all_values()), {}))

        return wrap(fn, begin, end, slices)

    # --- blocks ---

    def __enter__(self) -> Any:
        if _engine.is_on:
            Region(self, {}, {}, self._is_recorded())
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        region = find(self) if _engine.is_on else None
        if region and region.close() and not region.is_written:
            self._record(self._texts[0], region.start)

    def start(self, metadata: bool = False) -> None:
        """The event begins. With ``metadata``, it is no event: the metadata ``NAME.start`` is the time of day."""
        if not self._is_recorded():
            return
        if metadata:
            self._mark(START_METADATA_NAME)
        else:
            self._begun[get_ident()] = _engine.now()

    def stop(self, metadata: bool = False) -> None:
        """The event that ``start`` began ends. It may have begun in another thread."""
        if not self._is_recorded():
            return
        if metadata:
            self._mark(STOP_METADATA_NAME)
            return
        begun = self._begun.pop(get_ident(), None)
        if begun is None and self._begun:
            begun = self._begun.popitem()[1]
        if begun is not None:
            self._record(self._texts[0], begun)

    def _mark(self, what: str) -> None:
        _engine.metadata(f"{self._texts[0]}{CTX_SEPARATOR}{what}", str(time.time_ns() // 1000))

    def reset(self) -> None:
        """The event that is open begins now."""
        if not _engine.is_on:
            return
        region = find(self)
        if region:
            region.start = _engine.now()
        if get_ident() in self._begun:
            self._begun[get_ident()] = _engine.now()

    # --- switches and values ---

    def enable(self) -> None:
        """Records the event from now on."""
        self._is_enabled = True

    def disable(self) -> None:
        """Does not record the event from now on."""
        self._is_enabled = False

    def update(self, epoch: Optional[int] = None, step: Optional[int] = None, image_idx: Optional[int] = None,
               image_size: Optional[Any] = None, args: Optional[Dict[str, Any]] = None) -> Any:
        """Adds values to the event that is open, and to all later ones."""
        if _engine.is_on:
            self._add(of_update(epoch, step, image_idx, image_size, args))
        return self

    def _add(self, values: Dict[str, Any]) -> None:
        self._values = {**self._values, **values}
        region = find(self)
        if region:
            region.values.update(values)

    # --- loops ---

    def iter(self, iterator: Iterable[T], *, include_block: bool = True, include_iter: bool = True,
             iter_name: Optional[str] = None, block_name: Optional[str] = None) -> Iterator[T]:
        """Yields the items of an iterable. ``NAME.iter`` is the time to obtain an item, ``NAME.block`` that of the
        body of the loop; ``count`` is their number, from 1 on."""
        if not _engine.is_on:
            yield from iterator
            return
        iter_name = iter_name or get_iter_handle_name(self._texts[0])
        block_name = block_name or get_iter_block_name(self._texts[0])
        items = iter(iterator)
        count = 0
        while True:
            count += 1
            start = _engine.now() if include_iter and self._is_recorded() else 0
            try:
                item = next(items)
            except StopIteration:
                return
            if start:
                self._record(iter_name, start, {ITER_COUNT_NAME: count})
            block = Region(block_name, {}, {}, include_block and self._is_recorded())
            try:
                yield item
            finally:
                if block.close() and not block.is_written:
                    self._record(block_name, block.start, {ITER_COUNT_NAME: count})


class DFTracerAI(_DFTracerAI):
    """A node with children."""

    def __init__(self, *, cat: str, name: Optional[str] = None, epoch: Optional[int] = None,
                 step: Optional[int] = None, image_idx: Optional[int] = None, image_size: Optional[Any] = None,
                 enable: bool = True) -> None:
        super().__init__(cat, name, epoch, step, image_idx, image_size, enable)
        self._children: Dict[str, DFTracerAI] = {}

    def _adopt(self, attribute: str, child: "DFTracerAI") -> "DFTracerAI":
        self._children[attribute] = child
        return child

    def create_children(self, names: Dict[str, str]) -> None:
        """Makes nodes of the same category: attributes and the names of their events."""
        for attribute, name in names.items():
            child = self._adopt(attribute, DFTracerAI(cat=self.cat, name=name, enable=self._is_enabled))
            child._values = self._values
            setattr(self, attribute, child)

    def derive(self, name: str) -> "DFTracerAI":
        """The node ``PARENT.NAME`` of the same category. The same name gives the same node."""
        full = f"{self._texts[0]}{CTX_SEPARATOR}{name}"
        child = self._children.get(full)
        if child is None:
            child = self._adopt(full, DFTracerAI(cat=self.cat, name=full, enable=self._is_enabled))
            child._values = self._values
        return child

    def init(self, fn: Optional[Callable[..., Any]] = None, *, enable: Optional[bool] = None,
             epoch: Optional[int] = None, step: Optional[int] = None, image_idx: Optional[int] = None,
             image_size: Optional[Any] = None, args: Optional[Dict[str, Any]] = None) -> Any:
        """Decorates ``__init__``: the event is ``NAME.init``."""
        return self.derive(INIT_NAME)(fn, enable=enable, epoch=epoch, step=step, image_idx=image_idx,
                                      image_size=image_size, args=args)

    def enable(self) -> None:
        """Records the event, and those of all nodes below, from now on."""
        super().enable()
        for child in list(self._children.values()):
            child.enable()

    def disable(self) -> None:
        """Does not record the event, and those of all nodes below, from now on."""
        super().disable()
        for child in list(self._children.values()):
            child.disable()

    def _add(self, values: Dict[str, Any]) -> None:
        super()._add(values)
        for child in list(self._children.values()):
            child._add(values)


class _Copy(DFTracerAI):
    """A node with values of its own: what calling a node without a function returns."""

    def __init__(self, origin: _DFTracerAI, is_enabled: bool, values: Dict[str, Any]) -> None:
        super().__init__(cat=origin.cat, name=origin.name, enable=is_enabled)
        self._origin = origin
        self._values = values

    def _is_recorded(self) -> bool:
        return self._is_enabled and self._origin._is_recorded()

    def _all_values(self) -> Dict[str, Any]:
        return {**self._origin._all_values(), **self._values}

    def _decorate(self, fn: Any) -> Any:
        return super()._decorate(fn) if self._is_enabled else fn

    def __getattr__(self, name: str) -> Any:
        if name == "_origin":
            raise AttributeError(name)
        return getattr(self._origin, name)
