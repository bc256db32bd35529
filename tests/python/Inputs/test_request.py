"""The smallest program that somebody wants to understand: one test, one function that it calls."""

import sys


def foo(count, *more, step=1):
    total = 0
    for i in range(0, count, step):
        total += i * i
    return total + len(more)


class Shape:
    def area(self, width):
        height = width * 2

        def scaled(factor):
            return factor * height

        return scaled(3)


def test_trace():
    results = [foo(20000), foo(1000, "more", step=2)]
    results.append(Shape().area(7))
    assert results[2] == 42


if __name__ == "__main__":
    test_trace()
    sys.exit(0)
