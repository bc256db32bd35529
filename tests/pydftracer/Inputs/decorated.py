"""Decorated functions of every kind keep their results, exceptions and nature; their events are right."""

import asyncio
import inspect
import os
import pickle
import sys
import threading

from dftracer.python import DFTRACER_ENABLE, ai, dft_fn, dftracer

fn = dft_fn("kinds")
log = dftracer.initialize_log()


@fn.log
def function(a, /, b, *rest, c=3, **more) -> int:
    """Its documentation."""
    return a + b + len(rest) + c + len(more)


@fn.log
def generator(n):
    received = []
    try:
        for i in range(n):
            received.append((yield i))
    except KeyError:
        received.append("thrown")
    return received


@fn.log
async def coroutine(n, step):
    for _ in range(n):
        await asyncio.sleep(0)
    fn.update(args={"n": n})
    if n == 0:
        raise ValueError(step)
    return n


@ai.dataloader.fetch
async def async_generator(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


class Base:
    @fn.log
    def method(self):
        return "base"

    @fn.log
    @classmethod
    def class_method(cls):
        return cls.__name__

    @classmethod
    @fn.log
    def inner_class_method(cls):
        return cls.__name__

    @fn.log
    @staticmethod
    def static_method():
        return "static"

    @property
    @fn.log
    def value(self):
        return 42


class Derived(Base):
    @fn.log
    def method(self):
        return "derived " + super().method()


class Strange:
    @property
    def epoch(self):
        raise RuntimeError("must not escape")

    def step(self):
        raise RuntimeError("is not called")

    @fn.log
    def method(self, image_size=(3, 4)):
        return image_size


@ai.compute.forward
def recursive(n):
    return n and recursive(n - 1)


@fn.log
def fails(depth):
    if depth == 0:
        raise KeyError("inside")
    with ai.compute.backward:
        fails(depth - 1)


def check_functions():
    assert function(1, 2, 4, c=5, d=6) == 10 and function.__name__ == "function" and function.__doc__ == "Its documentation."
    assert list(inspect.signature(function).parameters) == ["a", "b", "rest", "c", "more"]
    assert pickle.loads(pickle.dumps(function)) is function
    assert (function is inspect.unwrap(function)) == (not DFTRACER_ENABLE)
    derived = Derived()
    assert derived.method() == "derived base" and Derived.class_method() == derived.class_method() == "Derived"
    assert derived.inner_class_method() == "Derived" and Base.static_method() == derived.static_method() == "static"
    assert derived.value == 42 and Strange().method() == (3, 4) and recursive(3) == 0
    made = generator(3)
    assert next(made) == 0 and made.send("a") == 1
    try:
        made.throw(KeyError)
    except StopIteration as stop:
        assert stop.value == ["a", "thrown"], stop.value


def check_exceptions():
    try:
        fails(2)
    except KeyError as error:
        frames, trace = [], error.__traceback__
        while trace:
            frames.append(trace.tb_frame.f_code.co_name)
            trace = trace.tb_next
        assert frames.count("fails") == 3, frames
    else:
        raise AssertionError("no exception")


async def check_coroutines():
    assert inspect.iscoroutinefunction(coroutine) and inspect.isasyncgenfunction(inspect.unwrap(async_generator))
    results = await asyncio.gather(coroutine(2, 1), coroutine(1, 2), coroutine(0, 3), return_exceptions=True)
    assert results[:2] == [2, 1] and isinstance(results[2], ValueError), results
    task = asyncio.ensure_future(coroutine(1000, 4))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass
    else:
        raise AssertionError("not cancelled")
    assert [x async for x in async_generator(3)] == [0, 1, 2]


def check_threads():
    def work(number):
        for step in range(10):
            with fn:
                fn.update(step=step, args={"thread": number})
            for x in ai.data.item.iter(range(2)):
                assert x in (0, 1)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ai.comm.send.start()
    other = threading.Thread(target=ai.comm.send.stop)
    other.start()
    other.join()


def check_loops():
    """Loops that are open at the same time, left early and never finished."""
    first, second = fn.iter(range(3), name="first"), fn.iter(range(3), name="second")
    assert list(zip(first, second)) == [(0, 0), (1, 1), (2, 2)]
    unfinished = ai.dataloader.fetch.iter(iter([1, 2, 3]))
    assert next(unfinished) == 1
    unfinished.close()
    for _ in ai.dataloader.fetch.iter(generator(2)):
        with ai.compute.step:
            pass


def check_fork():
    with ai.pipeline.train, fn:
        child = os.fork()
        if child == 0:
            with ai.pipeline.test:
                pass
    if child == 0:
        with ai.pipeline.evaluate:
            pass
        log.finalize()
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


check_functions()
check_exceptions()
asyncio.run(check_coroutines())
check_threads()
check_loops()
check_fork()
log.finalize()
