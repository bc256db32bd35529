"""Exceptions of signal handlers, at any instruction: an activation that was entered is left. DFTRACE_INTERRUPTS is the number of
exceptions."""

import os
import random
import signal
import unittest

import rewritten

COUNT = int(os.environ.get("DFTRACE_INTERRUPTS", "300"))

SOURCE = """
def leaf(x):
    return x + 1

def numbers(limit):
    try:
        for i in range(limit):
            yield leaf(i)
    finally:
        leaf(limit)

def delegating(limit):
    return (yield from numbers(limit))

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def work():
    while True:
        for i in delegating(5):
            try:
                fib(i)
            except KeyError:
                pass
        generator = delegating(9)
        next(generator)
        generator.close()
"""


class Interrupted(Exception):
    pass


class Interrupts(rewritten.Case):
    def test_every_activation_is_left(self):
        work = rewritten.run(SOURCE, True)["work"]

        def interrupt(*_):
            raise Interrupted

        random.seed(1)
        signal.signal(signal.SIGALRM, interrupt)
        for _ in range(COUNT):
            try:
                # One shot, which ends the work however slow it is.
                signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0001, 0.0006))
                work()
            except Interrupted:
                continue
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        self.check_pairs()


if __name__ == "__main__":
    unittest.main()
