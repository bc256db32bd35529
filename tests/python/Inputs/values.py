class Loud:
    def __repr__(self):
        raise SystemExit("repr was called")

    __str__ = __eq__ = __hash__ = __len__ = __bool__ = __getattr__ = __class_getitem__ = __repr__


class Number(int):
    def __int__(self):
        raise SystemExit("int was called")

    __index__ = __str__ = __repr__ = __int__


def simple(a, b, c, d, e, f=3):
    return b if f != 3 else "done"


def many(first, *rest, key, **others):
    pass


def captured(x):
    def inner():
        return x + 1

    return inner


def fails(x):
    raise ValueError(x)


def items(count):
    for i in range(count):
        yield i


def long_text(text):
    return len(text)


def broken_text(text):
    pass


simple(1, -2.5, True, None, "text \u00e4")
simple(1 << 80, Loud(), b"bytes", [1], int, f=Number(4))
many(1, 2, 3, key=2, z=1)
print(captured(7)())
try:
    fails(5)
except ValueError as error:
    print(error)
print(list(items(2)))
print(long_text("x" * 100000))
broken_text("a\udc80b")
