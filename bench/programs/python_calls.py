"""Calls functions of Python and prints the CPU time of one call of each kind, the least of several rounds.

python_calls.py CALLS ROUNDS [cprofile|settrace]: with a profiler of Python's own around it.
"""

import cProfile
import sys
import time


def leaf(value):
    return value


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def steps(count):
    for i in range(count):
        yield i


def raises():
    raise ValueError


def run_leaf(calls):
    for i in range(calls):
        leaf(i)
    return calls


def run_fib(calls):
    n, made = 1, 1
    while made < calls:
        n, made = n + 1, round(made * 1.618) + 1
    fib(n)
    before, last = 1, 1  # calls of fib(0) and fib(1)
    for _ in range(n - 1):
        before, last = last, before + last + 1
    return last


def run_steps(calls):
    for _ in steps(calls):
        pass
    return calls


def run_raises(calls):
    for _ in range(calls):
        try:
            raises()
        except ValueError:
            pass
    return calls


def look(frame, event, _):
    """What a debugger does that looks for a function by its name."""
    return look if frame.f_code.co_name == "wanted" else None


def main():
    calls, rounds = int(sys.argv[1]), int(sys.argv[2])
    profiler = sys.argv[3] if len(sys.argv) > 3 else ""
    least = {}
    if profiler == "cprofile":
        cProfile.Profile().enable()
    elif profiler == "settrace":
        sys.settrace(look)
    for _ in range(rounds):
        for name, run in (("leaf", run_leaf), ("fib", run_fib), ("step", run_steps), ("raise", run_raises)):
            began = time.thread_time_ns()
            made = run(calls)
            cost = (time.thread_time_ns() - began) / made
            least[name] = min(cost, least.get(name, cost))
    sys.settrace(None)
    for name, cost in least.items():
        print(f"{cost:.2f} {name}")


main()
