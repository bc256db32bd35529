"""``dft_fn``: regions around functions, blocks and loops of one category."""

import sys
import time
from typing import Any, Callable, Dict, Generator, Iterable, List, Optional, TypeVar

from dftracer.python import _engine, _entities
from dftracer.python._parameters import Parameters
from dftracer.python._regions import Region, find
from dftracer.python._tracer import profiler
from dftracer.python._types import EntityRelation, EntityStore
from dftracer.python._values import of_update
from dftracer.python._wrap import Slice, name_of, wrap

T = TypeVar("T")
Function = TypeVar("Function", bound=Callable[..., Any])


class dft_fn:
    """A category of events: a decorator (``log``, ``log_init``, ``log_static``), a context manager, and more.

    Values of ``update`` belong to the innermost event of this object that is open in the thread, and to those
    inside it; if none is open, to all later events of this object.
    """

    def __init__(self, cat: str, name: Optional[str] = None, epoch: Optional[int] = None, step: Optional[int] = None,
                 image_idx: Optional[int] = None, image_size: Optional[Any] = None, enable: bool = True) -> None:
        self._enable = bool(enable) and _engine.is_on
        if not self._enable:
            return
        self._cat = str(cat)
        self._name = str(name) if name is not None else sys._getframe(1).f_code.co_name
        self._values = of_update(epoch, step, image_idx, image_size, None)
        self._relations: Dict[str, List[str]] = {}
        self._made_ns = time.time_ns()
        self._start = 0  # when `reset` was called

    # --- regions ---

    def _open(self, values: Dict[str, Any]) -> Region:
        outer = find(self)
        inherited = outer.inherited if outer else self._values
        return Region(self, {**inherited, **self._take_relations(), **values}, inherited)

    def _take_relations(self) -> Dict[str, Any]:
        """Relations that were given while no event was open: those of the next event."""
        relations, self._relations = self._relations, {}
        return {"relations": relations} if relations else {}

    def __enter__(self) -> "dft_fn":
        if self._enable:
            self._open({})
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        region = find(self) if self._enable else None
        if region and not region.is_written:
            region.write(self._name, self._cat)
        if region:
            region.close()

    def update(self, epoch: Optional[int] = None, step: Optional[int] = None, image_idx: Optional[int] = None,
               image_size: Optional[Any] = None, args: Optional[Dict[str, Any]] = None) -> "dft_fn":
        """Adds values."""
        if self._enable:
            self._update(of_update(epoch, step, image_idx, image_size, args))
        return self

    def _update(self, values: Dict[str, Any]) -> None:
        region = find(self)
        if region:
            region.update(values)
        else:
            self._values = {**self._values, **values}

    def flush(self) -> "dft_fn":
        """Records the time since ``reset``, or since the beginning of the block or of this object."""
        if self._enable:
            region = find(self)
            if region:
                region.write(self._name, self._cat)
                region.is_written = True
            else:
                values = {**self._values, **self._take_relations()}
                age_ns = time.time_ns() - self._made_ns
                _engine.record(self._name, self._cat, self._start, values or None, age_ns)
        return self

    def reset(self) -> "dft_fn":
        """The next event begins now."""
        if self._enable:
            region = find(self)
            if region:
                region.start = _engine.now()
                region.is_written = False
            else:
                self._start = _engine.now()
        return self

    # --- decorators ---

    def _decorate(self, func: Any, name: Optional[str], is_init: bool) -> Any:
        parameters = Parameters(func)
        event = str(name) if name is not None else name_of(func)

        def begin(args: tuple, kwargs: dict) -> Region:
            values = {} if is_init else parameters.of_object(args)
            values.update(parameters.of_call(args, kwargs))
            region = self._open(values)
            if is_init:
                region.call = args
            return region

        def end(region: Region) -> None:
            if is_init:
                for key, value in parameters.of_object(region.call).items():
                    region.values.setdefault(key, value)
            if region.close() and not region.is_written:
                region.write(event, self._cat)

        return wrap(func, begin, end, lambda args, kwargs: Slice(event, self._cat, begin(args, kwargs)))

    def _decorator(self, func: Any, name: Optional[str], is_init: bool = False) -> Any:
        if func is None:
            return lambda function: self._decorator(function, name, is_init)
        return self._decorate(func, name, is_init) if self._enable else func

    def log(self, func: Optional[Function] = None, name: Optional[str] = None) -> Any:
        """Decorator of functions and methods, with or without parentheses. Values called epoch, step, image_idx
        and image_size are taken from the arguments and from the attributes of ``self``."""
        return self._decorator(func, name)

    def log_init(self, init: Optional[Function] = None, name: Optional[str] = None) -> Any:
        """Decorator of ``__init__``; attributes count as it leaves them."""
        return self._decorator(init, name, is_init=True)

    def log_static(self, func: Optional[Function] = None, name: Optional[str] = None) -> Any:
        """Decorator of static methods, below or above ``@staticmethod``."""
        return self._decorator(func, name)

    # --- loops and others ---

    def iter(self, func: Iterable[T], name: str = "loop", iter_name: str = "step") -> Generator[T, Any, Any]:
        """Yields the items of an iterable. ``NAME.iter`` is the time to obtain an item, ``NAME.yield`` that of the
        body of the loop; ``iter_name`` is their number, from 1 on."""
        if not self._enable:
            yield from func
            return
        items = iter(func)
        number = 0
        while True:
            number += 1
            region = self._open({iter_name: number})
            try:
                item = next(items)
            except StopIteration:
                return
            finally:
                region.close()
            region.write(f"{name}.iter", self._cat)
            body = self._open({iter_name: number})
            try:
                yield item
            finally:
                if body.close():
                    body.write(f"{name}.yield", self._cat)

    def log_metadata(self, key: str, value: str) -> None:
        """What is true of the whole process."""
        if self._enable:
            profiler.log_metadata_event(key, value)

    def relate(self, relation: EntityRelation, entity: int) -> "dft_fn":
        """What the event does to an entity: a part of its value ``relations``."""
        if self._enable:
            region = find(self)
            relations = region.values.setdefault("relations", {}) if region else self._relations
            for key, ids in _entities.values_of_relations({relation: [entity]}).items():
                relations[key] = [*relations.get(key, []), *ids]
        return self

    def relate_entity(self, relation: EntityRelation, type: str, key: Any, store: EntityStore = EntityStore.MEMORY,
                      uri: str = "") -> int:
        """Declares an entity and relates the event to it. Returns its id."""
        if not self._enable:
            return 0
        entity = profiler.declare_entity(type, key, store, uri)
        self.relate(relation, entity)
        return entity

    def uses(self, type: str, key: Any, store: EntityStore = EntityStore.MEMORY, uri: str = "") -> int:
        """The event reads an entity."""
        return self.relate_entity(EntityRelation.USED, type, key, store, uri)

    def generates(self, type: str, key: Any, store: EntityStore = EntityStore.MEMORY, uri: str = "") -> int:
        """The event makes an entity."""
        return self.relate_entity(EntityRelation.GENERATED, type, key, store, uri)
