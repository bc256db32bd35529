"""Epoch, step, image_idx and image_size of a call: from the function's parameters, and from the object it belongs to."""

import inspect
from typing import Any, Callable, Dict, List, Optional, Tuple

from dftracer.python._values import NAMED, collected


def get_default_args(func: Callable) -> Dict[str, Any]:
    """The parameters of a function that have a default, and their defaults."""
    return {name: parameter.default for name, parameter in inspect.signature(func).parameters.items()
            if parameter.default is not inspect.Parameter.empty}


class Parameters:
    """Where a function has these values. A parameter counts more than an attribute of the same name."""

    def __init__(self, func: Any) -> None:
        self.found: List[Tuple[str, Optional[int], Any]] = []
        self.has_self = False
        self.bound_to: Any = None  # the object of a bound method
        if inspect.ismethod(func):
            self.bound_to = func.__self__
        else:
            func = getattr(func, "__func__", func)  # of a static or class method
        try:
            parameters = list(inspect.signature(func).parameters.values())
        except (TypeError, ValueError):  # a builtin
            return
        self.has_self = bool(parameters) and parameters[0].name == "self"
        positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for index, parameter in enumerate(parameters):
            if parameter.name in NAMED:
                default = None if parameter.default is inspect.Parameter.empty else parameter.default
                self.found.append((parameter.name, index if parameter.kind in positional else None, default))

    def of_call(self, args: tuple, kwargs: dict) -> Dict[str, Any]:
        """The values in the arguments of a call, defaults included."""
        values = {}
        for name, index, default in self.found:
            value = default
            if name in kwargs:
                value = kwargs[name]
            elif index is not None and index < len(args):
                value = args[index]
            value = collected(value)
            if value is not None:
                values[name] = value
        return values

    def of_object(self, args: tuple) -> Dict[str, Any]:
        """The values in the attributes of ``self``."""
        values = {}
        owner = args[0] if self.has_self and args else self.bound_to
        if owner is not None:
            for name in NAMED:
                try:
                    value = collected(getattr(owner, name, None))
                except Exception:  # a property that raises is the program's, and its call must not fail by it
                    continue
                if value is not None:
                    values[name] = value
        return values
