"""Coroutines in tasks that have names, and outside of them."""
import asyncio


async def inner(turns):
    for _ in range(turns):
        await asyncio.sleep(0)


async def outer(turns):
    await inner(turns)


def plain():
    pass


async def main():
    await asyncio.gather(asyncio.create_task(outer(2), name="first"), asyncio.create_task(outer(3), name="second"))
    plain()


try:
    outer(0).send(None)
except StopIteration:
    pass
asyncio.run(main())
