"""A forked child records its own events, also while a region is open that its parent began; a third process is killed."""

import os
import signal

import dftrace

region = dftrace.region("both")
outer = dftrace.region("outer")
track = dftrace.track("queue")

with outer:
    track.begin("of the parent")
    child = os.fork()
    for _ in range(10):
        with region:
            pass
    track.end()
    if child == 0:
        with outer:
            pass
if child == 0:
    raise SystemExit(0)
assert os.waitpid(child, 0)[1] == 0
child = os.fork()
if child == 0:
    for n in range(1000):
        with dftrace.region("killed", n=n):
            pass
    dftrace.instant("last")
    dftrace.region("open").begin()
    os.kill(os.getpid(), signal.SIGKILL)
assert os.waitpid(child, 0)[1] == signal.SIGKILL
