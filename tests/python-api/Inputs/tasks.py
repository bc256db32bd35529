"""Regions and tracks of asyncio's tasks."""

import asyncio

import dftrace


@dftrace.region("handle")
async def handle(events, n):
    events[n].set()
    await events[1 - n].wait()


async def across(first, second, name):
    with dftrace.region(name):
        first.set()
        await second.wait()


async def on_track(n, first, second):
    track = dftrace.track(f"request {n}")
    track.begin("request", n=n)
    first.set()
    await second.wait()
    track.end()


async def main():
    events = [asyncio.Event() for _ in range(6)]
    await asyncio.gather(handle(events, 0), handle(events, 1))
    await asyncio.gather(across(events[2], events[3], "first"), across(events[3], events[2], "second"))
    await asyncio.gather(on_track(1, events[4], events[5]), on_track(2, events[5], events[4]))


asyncio.run(main())
