"""Greenlets that switch inside of traced calls: `leaf` in `switching`, `switching` in `work`. Each prints what it calls."""
import sys
import threading

import greenlet

TURNS = 10


def leaf():
    pass


def switching(main):
    leaf()
    main.switch()
    leaf()


def work(main):
    for _ in range(TURNS):
        switching(main)


def tracer(event, pair):
    events.append(event)


def drive():
    main = greenlet.getcurrent()
    fibers = [greenlet.greenlet(work) for _ in range(3)]
    while fibers:
        for fiber in fibers:
            fiber.switch(main)
        fibers = [fiber for fiber in fibers if not fiber.dead]


events = []
if "before" in sys.argv:
    greenlet.settrace(tracer)
if "after" in sys.argv:
    leaf()
    greenlet.settrace(tracer)
drive()
thread = threading.Thread(target=drive)
thread.start()
thread.join()
print(len(events))
