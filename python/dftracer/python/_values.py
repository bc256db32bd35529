"""Values of events: from what programs pass to what the extension records."""

import operator
from typing import Any, Dict, Optional

NAMED = ("epoch", "step", "image_idx", "image_size")


def plain(value: Any) -> Any:
    """A number, bool or text as it is; NumPy's and others' numbers as int or float; anything else as text."""
    if isinstance(value, (int, float, str)):  # bool is an int
        return value
    number = number_of(value)
    return str(value) if number is None else number


def number_of(value: Any) -> Optional[Any]:
    """An object of another type as int or float, if it is a single number; else None."""
    for attribute, convert in (("__index__", operator.index), ("__float__", float)):
        if hasattr(value, attribute):
            try:
                return convert(value)
            except Exception:  # an array of several numbers, or a tensor that cannot be read now
                continue
    return None


def collected(value: Any) -> Optional[Any]:
    """A parameter or attribute called epoch, step, … as a value; None if it is nothing of the kind."""
    if value is None or isinstance(value, (int, float, str)):
        return value
    if isinstance(value, (tuple, list)):
        return str(value)
    return None if callable(value) else number_of(value)


def of_update(epoch: Any, step: Any, image_idx: Any, image_size: Any, args: Optional[Dict[str, Any]]) -> Dict[str, Any]:
    """The values of a call of ``update``. None means that a value is not given."""
    values = {key: plain(value) for key, value in zip(NAMED, (epoch, step, image_idx, image_size)) if value is not None}
    if args:
        values.update((str(key), plain(value)) for key, value in args.items())
    return values


def of_tags(*groups: Optional[Dict[str, Any]]) -> Dict[str, Any]:
    """The values of ``log_event``: tuples of tag type and value, or values alone."""
    values: Dict[str, Any] = {}
    for group in groups:
        for key, value in (group or {}).items():
            is_tag = isinstance(value, tuple) and len(value) == 2
            values[str(key)] = plain(value[1] if is_tag else value)
    return values
