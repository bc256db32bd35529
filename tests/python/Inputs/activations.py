"""Generators and coroutines that end in every way."""

import asyncio


def numbers(count):
    try:
        for i in range(count):
            yield i
    finally:
        pass


def chain(count):
    yield from numbers(count)


async def wait(turns):
    for _ in range(turns):
        await asyncio.sleep(0)
    return turns


async def stream(count):
    for i in range(count):
        yield i


async def forever():
    while True:
        await asyncio.sleep(0)


def fails():
    raise ValueError


def recurse(depth):
    if depth:
        yield depth
        yield from recurse(depth - 1)


async def main():
    total = sum(await asyncio.gather(wait(2), wait(3)))
    async for value in stream(2):
        total += value
    task = asyncio.ensure_future(forever())
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        total += 100
    return total


total = sum(numbers(3)) + sum(chain(2))
closed = numbers(5)
next(closed)
closed.close()
thrown = chain(5)
next(thrown)
try:
    thrown.throw(KeyError)
except KeyError:
    total += 10
for _ in range(2):
    try:
        fails()
    except ValueError:
        total += 1
total += sum(recurse(3))
print(total, asyncio.run(main()))
