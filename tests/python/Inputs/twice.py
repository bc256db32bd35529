import sys


class Odd:
    def __getattr__(self, name):
        raise RuntimeError(name)


def foo():
    return 1


def use():
    key = lambda value: -value  # noqa: E731
    return key(1) + sum(i for i in range(3)) + len([i for i in range(2)])


if __name__ == "__main__":
    sys.modules["odd"] = Odd()
    sys.modules["odder"] = 3
    import twice

    twice.foo()
    twice.foo()
    twice.use()
    twice.use()
    foo()
    use()
    try:
        sys.modules["odd"].name
    except RuntimeError:
        pass
