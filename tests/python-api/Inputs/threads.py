"""Threads and recursion use the same region object at the same time."""

import threading

import dftrace

shared = dftrace.region("shared")


def recurse(depth):
    with shared:
        shared.set(depth=depth)
        if depth:
            recurse(depth - 1)


def work(barrier, number):
    dftrace.thread_name(f"worker {number}")
    barrier.wait()
    for _ in range(100):
        shared.begin()
        shared.set(thread=number)
        shared.end()
    recurse(50)
    dftrace.counter_add("done", 1)
    barrier.wait()


barrier = threading.Barrier(8)
threads = [threading.Thread(target=work, args=(barrier, number)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
recurse(500)
for _ in range(100):  # threads that leave a region open
    thread = threading.Thread(target=shared.begin)
    thread.start()
    thread.join()
with dftrace.region("after"), shared:
    pass
