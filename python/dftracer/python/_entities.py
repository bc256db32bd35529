"""Entities: their ids, and the values and instants that describe them. The same as dftracer/entity.h does."""

from typing import Any, Dict, Iterable, List, Mapping

_BASIS = 1469598103934665603
_PRIME = 1099511628211
_MASK = (1 << 64) - 1
_EVENT_RELATIONS = ("used", "generated", "invalidated", "updated")


def hash_of(type: str, key: Any) -> int:
    """64-bit FNV-1a of the type, the byte 0x1f and the key, from DFTracer's basis. Never 0."""
    value = _BASIS
    for byte in f"{type}\x1f{key}".encode("utf-8", "surrogateescape"):
        value = (value ^ byte) * _PRIME & _MASK
    return value or 1


def hex_of(entity: int) -> str:
    """An id as it is in the trace."""
    return f"{int(entity) & _MASK:016x}"


def values_of_relations(relations: Mapping[Any, Iterable[int]]) -> Dict[str, List[str]]:
    """The value ``relations`` of an event. A relation between two entities is no event's and is left out."""
    return {_EVENT_RELATIONS[int(relation)]: [hex_of(entity) for entity in entities]
            for relation, entities in relations.items() if 0 <= int(relation) < len(_EVENT_RELATIONS)}
