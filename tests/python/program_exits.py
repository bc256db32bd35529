"""Every way out of a function, and every way out of and back into a generator or coroutine. main() returns a list of what
happened."""

import asyncio
import contextlib
import traceback

log = []


def note(*what):
    log.append(what)


def finally_returns(x):
    try:
        return 1 // x
    finally:
        note("finally", x)


def finally_overrides():
    try:
        raise ValueError("lost")
    finally:
        return "overridden"


def nested(x):
    for i in range(3):
        try:
            with contextlib.suppress(KeyError):
                if x == i:
                    continue
                if x == i + 10:
                    break
                if x == i + 20:
                    raise KeyError(i)
                if x == i + 30:
                    return "returned"
                if x == i + 40:
                    raise RuntimeError("unhandled")
        except RuntimeError as error:
            if x == 40:
                raise LookupError("chained") from error
            raise
        else:
            note("else", i)
        finally:
            note("round", i)
    return x


def default(a, /, b=2, *c, d=4, **e):
    return a, b, c, d, e


def numbers(limit):
    try:
        for i in range(limit):
            got = yield i
            if got:
                note("got", got)
    except ZeroDivisionError as error:
        note("caught", str(error))
        yield "after throw"
    except GeneratorExit:
        note("closed")
        raise
    finally:
        note("numbers end")
    return "done"


def delegating(limit):
    try:
        result = yield from numbers(limit)
        note("result", result)
    except KeyError:
        note("key error")
        yield "recovered"
    return result if "result" in locals() else None


def outer(limit):
    return (yield from delegating(limit))


def generators():
    note(list(outer(3)))
    for exception in (ZeroDivisionError("thrown"), KeyError("thrown"), OSError("thrown")):
        generator = outer(3)
        next(generator)
        try:
            note("throw gives", generator.throw(exception))
            note(list(generator))
        except OSError as error:
            note("passed", str(error))
    generator = outer(3)
    next(generator)
    note("inside", generator.gi_yieldfrom is not None, generator.gi_yieldfrom.gi_code.co_name)
    generator.send("value")
    generator.close()
    never = outer(3)
    never.close()
    thrown_first = outer(3)
    try:
        thrown_first.throw(ValueError("first"))
    except ValueError:
        note("thrown before the start")
    forgotten = numbers(3)
    next(forgotten)
    del forgotten
    note(list(x * y for x in range(3) for y in range(2) if x), [a for a in range(3)], {a: a for a in range(2)}, {a for a in range(2)})
    note(sorted(map(lambda x: -x, range(3))))


class Manager:
    async def __aenter__(self):
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, kind, value, tb):
        await asyncio.sleep(0)
        return kind is KeyError


async def ticks(count):
    try:
        for i in range(count):
            yield i
            await asyncio.sleep(0)
    finally:
        note("ticks end")


class Awaitable:
    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return "awaited"


async def asynchronous():
    async with Manager():
        async for i in ticks(3):
            note("tick", i)
        note([i async for i in ticks(2)], await Awaitable())
        raise KeyError("suppressed")


async def fails():
    await asyncio.sleep(0)
    raise ValueError("task")


async def waits():
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        note("cancelled")
        raise


async def tasks():
    await asynchronous()
    note([type(r).__name__ for r in await asyncio.gather(fails(), asyncio.sleep(0, "x"), return_exceptions=True)])
    task = asyncio.ensure_future(waits())
    await asyncio.sleep(0)
    note("cr_await", task.get_coro().cr_await is not None)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        note("task cancelled")
    try:
        await asyncio.wait_for(waits(), 0.001)
    except asyncio.TimeoutError:
        note("timeout")
    unfinished = ticks(3)
    async for i in unfinished:
        break
    await unfinished.aclose()


def show_error(function, *arguments):
    try:
        note(function(*arguments))
    except Exception:
        note(traceback.format_exc())


def with_cell(a):
    def inner():
        nonlocal a
        a += 1
        return a
    return inner() + inner()


def recursive(n):
    return n if n < 1 else recursive(n - 1) + 1


def stack_lines():
    return [(frame.name, frame.lineno) for frame in traceback.extract_stack() if frame.filename == "program.py"]


def matches(value):
    match value:
        case {"a": [1, *rest]}:
            return rest
        case str() | int():
            return "scalar"
    return None


def groups():
    try:
        raise ExceptionGroup("group", [ValueError(1), KeyError(2)])
    except* ValueError as group:
        note(repr(group.exceptions))
    return "never"


def main():
    log.clear()
    for x in (1, 0):
        show_error(finally_returns, x)
    note(finally_overrides())
    for x in (0, 2, 10, 11, 20, 21, 30, 32, 40, 41, 99):
        show_error(nested, x)
    note(default(1), default(1, 2, 3, d=5, f=6))
    show_error(default)
    generators()
    asyncio.run(tasks())
    note(with_cell(1), recursive(50), stack_lines(), matches({"a": [1, 2]}), matches(3), matches(None))
    show_error(groups)
    return list(log)
