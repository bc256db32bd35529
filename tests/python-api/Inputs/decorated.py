"""A decorated function behaves like the function itself, of every kind. Traced or not."""

import abc
import asyncio
import copy
import functools
import gc
import inspect
import pickle
import sys
import types
import warnings
import weakref

import dftrace

is_traced = sys.argv[1] == "traced"


@dftrace.region("plain")
def plain(a, b: int = 2, *rest, c, **others) -> str:
    """What it does."""
    return a, b, rest, c, others


plain.mark = "kept"


class Base(abc.ABC):
    @dftrace.region("abstract")
    @abc.abstractmethod
    def must(self):
        pass


class Example:
    @dftrace.region("method")
    def method(self, x):
        """Of the class."""
        return self, x

    @dftrace.region("class method")
    @classmethod
    def of_class(cls, x):
        return cls, x

    @staticmethod
    @dftrace.region("static method")
    def static(x):
        return x

    @dftrace.region("static method")
    @staticmethod
    def outer_static(x):
        return x

    @property
    @dftrace.region("property")
    def size(self):
        return 5


def check_functions():
    assert plain(1, c=3) == (1, 2, (), 3, {}) and plain(1, 2, 3, c=4, d=5) == (1, 2, (3,), 4, {"d": 5})
    assert (plain.__name__, plain.__qualname__, plain.__doc__, plain.__module__) == ("plain", "plain", "What it does.", "__main__")
    assert str(inspect.signature(plain)) == "(a, b: int = 2, *rest, c, **others) -> str" and plain.mark == "kept"
    assert plain.__annotations__ == {"b": int, "return": str} and plain.__code__.co_name == "plain"
    assert hasattr(plain, "__wrapped__") == is_traced and inspect.unwrap(plain).__code__ is plain.__code__
    assert pickle.loads(pickle.dumps(plain)) is plain and copy.copy(plain) is plain and copy.deepcopy([plain]) == [plain]
    assert weakref.ref(plain)() is plain and callable(plain) and plain in {plain: 1}
    assert not inspect.iscoroutinefunction(plain) and not inspect.isgeneratorfunction(plain)
    for wrong in ((), (1,)):
        try:
            plain(*wrong)
        except TypeError as error:
            assert "plain() missing" in str(error), error
        else:
            raise AssertionError("no TypeError")
    assert functools.partial(plain, c=1)(0) == (0, 2, (), 1, {}) and dftrace.region("sum")(sum)([1, 2]) == 3


def check_methods():
    example = Example()
    assert example.method(1) == (example, 1) == Example.method(example, 1) and example.method.__self__ is example
    bound = example.method
    assert bound(x=2) == (example, 2) and Example.method.__doc__ == "Of the class."
    assert Example.of_class(3) == (Example, 3) == example.of_class(3)
    assert Example.static(4) == example.static(4) == Example.outer_static(4) == example.outer_static(4) == 4
    assert example.size == 5 and Base.__abstractmethods__ == {"must"}


@dftrace.region("raises")
def raises():
    raise KeyError("own")


@dftrace.region("recursive")
def recursive(n):
    return 0 if n == 0 else 1 + recursive(n - 1)


@dftrace.region("generator")
def generator(n):
    """Yields."""
    try:
        for i in range(n):
            got = yield i
            if got:
                yield got
    except ValueError as error:
        yield str(error)
    finally:
        closed.append(n)
    return "result"


closed = []


def check_generators():
    assert inspect.isgeneratorfunction(generator) and generator.__doc__ == "Yields."
    made = generator(2)
    assert isinstance(made, types.GeneratorType) and (made.__name__, made.__qualname__) == ("generator", "generator")
    assert next(made) == 0 and made.send("sent") == "sent" and next(made) == 1
    try:
        next(made)
    except StopIteration as stop:
        assert stop.value == "result"
    made = generator(3)
    assert next(made) == 0 and made.throw(ValueError("thrown")) == "thrown"
    made.close()
    made = generator(4)
    next(made)
    del made
    generator(5).close()
    generator(6)
    assert closed == [2, 3, 4], closed
    try:
        generator()
    except TypeError as error:
        assert "generator() missing" in str(error)
    else:
        raise AssertionError("no TypeError")

    @dftrace.region("generator")
    def returns(value):
        return value
        yield

    for value in (None, (1, 2), ValueError("a value"), StopIteration(1)):
        assert (yield_from(returns(value))) == value


def yield_from(iterator):
    def outer():
        result.append((yield from iterator))
    result = []
    assert list(outer()) == []
    return result[0]


@dftrace.region("coroutine")
async def coroutine(x):
    await asyncio.sleep(0)
    return x


@dftrace.region("async generator")
async def async_generator(n):
    try:
        for i in range(n):
            await asyncio.sleep(0)
            try:
                got = yield i
            except ValueError as error:
                got = str(error)
            if got:
                yield got
    finally:
        await asyncio.sleep(0)
        closed.append("async")


async def check_coroutines():
    assert inspect.iscoroutinefunction(coroutine) and asyncio.iscoroutinefunction(coroutine)
    made = coroutine(1)
    assert inspect.iscoroutine(made) and made.__name__ == "coroutine" and await made == 1
    assert await asyncio.gather(*(coroutine(n) for n in range(3))) == [0, 1, 2]
    assert await asyncio.create_task(coroutine(5)) == 5 and await asyncio.wait_for(coroutine(6), 60) == 6
    task = asyncio.create_task(coroutine(7))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass
    else:
        raise AssertionError("not cancelled")


async def check_async_generators():
    assert inspect.isasyncgenfunction(async_generator)
    made = async_generator(3)
    assert inspect.isasyncgen(made) and made.__name__ == "async_generator"
    assert [n async for n in made] == [0, 1, 2]
    made = async_generator(3)
    assert await made.asend(None) == 0 and await made.asend("sent") == "sent" and await anext(made) == 1
    assert await made.athrow(ValueError("thrown")) == "thrown"
    await made.aclose()
    assert closed[-2:] == ["async", "async"], closed


def check_warnings():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        coroutine(9)
        gc.collect()
    assert [str(one.message) for one in caught] == ["coroutine 'coroutine' was never awaited"], [str(w.message) for w in caught]


check_functions()
check_methods()
try:
    raises()
except KeyError as error:
    assert error.args == ("own",)
assert recursive(100) == 100
check_generators()
asyncio.run(check_coroutines())
asyncio.run(check_async_generators())
check_warnings()
gc.collect()
