"""Regions as decorators: which kinds of functions there are, and what they return.

A region covers the execution of a function. For a coroutine or generator, that is each step from
where it is resumed to where it waits or yields: in between, its thread does something else. The
caller gets an object of the same kind, which runs the function's own in steps.
"""

from functools import partial
from types import FunctionType, MethodType, coroutine

from ._dftrace import make_decorated, make_steps

# Flags of code objects.
_GENERATOR, _COROUTINE, _ITERABLE_COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x100, 0x200


def _run_generator(steps):
    return (yield from steps)


@coroutine
def _run_iterable_coroutine(steps):
    return (yield from steps)


async def _run_coroutine(steps):
    return await steps


async def _run_async_generator(region, generator):
    step = generator.__anext__()
    while True:
        try:
            value = await make_steps(region, step)
        except StopAsyncIteration:
            return
        try:
            sent = yield value
        except GeneratorExit:
            await make_steps(region, generator.aclose())
            raise
        except BaseException as error:
            step = generator.athrow(error)
        else:
            step = generator.asend(sent)


def _name_like(runner, function):
    named = FunctionType(runner.__code__, runner.__globals__, getattr(function, "__name__", runner.__name__))
    named.__qualname__ = getattr(function, "__qualname__", named.__name__)
    return named


def _flags(function):
    while isinstance(function, partial):
        function = function.func
    code = getattr(function, "__code__", None) or getattr(getattr(type(function), "__call__", None), "__code__", None)
    return getattr(code, "co_flags", 0)


def _cover(function):
    """What makes the result of the decorated function out of the function's own; None: nothing does."""
    flags = _flags(function)
    if flags & _ASYNC_GENERATOR:
        return _name_like(_run_async_generator, function)
    for flag, runner in ((_ITERABLE_COROUTINE, _run_iterable_coroutine), (_COROUTINE, _run_coroutine),
                         (_GENERATOR, _run_generator)):
        if flags & flag:
            run = _name_like(runner, function)
            return lambda region, inner: run(make_steps(region, inner))
    return None


def decorate(region, function, is_traced):
    """The function with the region around its execution. The same function if nothing is recorded."""
    if isinstance(function, (staticmethod, classmethod)):
        inner = decorate(region, function.__func__, is_traced)
        return type(function)(inner) if is_traced else function
    if isinstance(function, type) or not callable(function):
        kind = "the class" if isinstance(function, type) else "an object of type"
        name = function.__name__ if isinstance(function, type) else type(function).__name__
        raise TypeError(f"dftrace.region() decorates functions and methods, not {kind} {name}")
    return make_decorated(region, function, _cover(function), MethodType) if is_traced else function
