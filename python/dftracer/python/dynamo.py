"""``Dynamo``: the operations of functions that PyTorch compiles, as events of the category ``dynamo``.

A function is compiled by ``torch.compile`` with a backend that runs the captured graph operation by operation, so
that each has an event. PyTorch is imported when it is needed.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Callable, Optional

from dftracer.python import _engine
from dftracer.python._node import DFTracerAI
from dftracer.python.common import *  # noqa: F403

__all__ = ["Dynamo", "create_backend", "dynamo"]

CAT_DYNAMO = "dynamo"
TORCH_AVAILABLE: bool = find_spec("torch") is not None


@dataclass
class CallStackRecord:
    """An operation that has begun."""

    op_name: str
    op_type: str
    target: str
    timestamp_us: int
    grad_enabled: bool


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise RuntimeError(f"dftracer.python.dynamo needs PyTorch: {error}") from error
    return torch


def create_detailed_op_name(node: Any, gm: Any) -> str:
    """The name of an operation's event: ``function.conv2d``, ``method.view``, ``PATH.TYPE_PATH`` of a module."""
    target = str(getattr(node.target, "__name__", node.target))
    if node.op == "call_function":
        return f"function.{target}"
    if node.op == "call_method":
        return f"method.{target}"
    if node.op == "call_module":
        kind = type(gm.get_submodule(node.target)).__name__
        return f"{node.target}.{kind}_{str(node.target).replace('.', '_')}"
    return f"{node.op}.{target}"


def _timed_graph(gm: Any, record: Callable[[str, int, bool], None]) -> Callable[..., Any]:
    """A function that runs the graph, and calls ``record`` after each of its operations."""
    torch = _torch()
    counted = ("call_function", "call_method", "call_module")

    class Timed(torch.fx.Interpreter):
        def run_node(self, node: Any) -> Any:
            start = _engine.now()
            result = super().run_node(node)
            if node.op in counted:
                record(create_detailed_op_name(node, gm), start, torch.is_grad_enabled())
            return result

    interpreter = Timed(gm)
    return lambda *args: interpreter.run(*args)


class Dynamo(DFTracerAI):
    """Records the operations of functions and modules that it compiles. A name precedes those of the operations."""

    def __init__(self, name: Optional[str] = None, epoch: Optional[int] = None, step: Optional[int] = None,
                 image_idx: Optional[int] = None, image_size: Optional[Any] = None, enable: bool = True):
        super().__init__(cat=CAT_DYNAMO, name=name, epoch=epoch, step=step, image_idx=image_idx, image_size=image_size,
                         enable=enable)
        self._prefix = f"{name}." if name else ""

    def reset(self) -> None:
        """Forgets what PyTorch has compiled."""
        super().reset()
        if self._is_recorded():
            _torch()._dynamo.reset()

    def _record_operation(self, name: str, start: int, grad_enabled: bool) -> None:
        if self._is_recorded():
            self._record(self._prefix + name, start, {"grad_enabled": int(grad_enabled)})

    def add_enhanced_timing_to_graph(self, gm: Any) -> Any:
        """A function that runs the graph with an event for each operation."""
        return _timed_graph(gm, self._record_operation) if self._is_recorded() else gm

    def _backend(self, autograd: bool) -> Callable[..., Any]:
        def compiler(gm: Any, example_inputs: Any) -> Any:
            return self.add_enhanced_timing_to_graph(gm)

        if not autograd:
            return compiler
        from functorch.compile import make_boxed_func
        from torch._dynamo.backends.common import aot_autograd

        def boxed(gm: Any, example_inputs: Any) -> Any:
            return make_boxed_func(self.add_enhanced_timing_to_graph(gm))

        return aot_autograd(fw_compiler=boxed, bw_compiler=boxed)

    def compile(self, f_py: Optional[Callable[..., Any]] = None, autograd: bool = True) -> Any:
        """Compiles a function, as decorator or by a call. Without tracing: returns it unchanged. With
        ``autograd``, the events are those of forward and backward pass."""
        if f_py is None:
            return lambda function: self.compile(function, autograd)
        if not self._is_recorded():
            return f_py
        torch = _torch()
        return torch.compile(f_py, backend=self._backend(autograd))

    def count_parameters(self, module: Any) -> Optional[int]:
        """How many numbers a module learns; None if it is no module."""
        parameters = getattr(module, "parameters", None)
        if not callable(parameters):
            return None
        return sum(parameter.numel() for parameter in parameters() if parameter.requires_grad)


def create_backend(name: Optional[str] = None, epoch: Optional[int] = None, step: Optional[int] = None,
                   image_idx: Optional[int] = None, image_size: Optional[Any] = None, enable: bool = True,
                   autograd: bool = True) -> Any:
    """A backend for ``torch.compile(function, backend=…)``. Without tracing: PyTorch's ``eager``."""
    tracer = Dynamo(name, epoch, step, image_idx, image_size, enable)
    if not tracer._is_recorded():
        return "eager"
    _torch()
    return tracer._backend(autograd)


dynamo = Dynamo()
