"""Calls functions until a file appears."""

import os
import sys
import time


def step(number):
    return number + 1


def closure():
    def inner(number):
        return step(number)

    return inner


class Worker:
    def work(self):
        return kept(1)


kept = closure()
print(os.getpid(), flush=True)
while not os.path.exists("end"):
    Worker().work()
    time.sleep(0.001)
open("ended", "w").close()
