import native


def back():
    return 1


def fails():
    raise ValueError


def call(function):
    try:
        return native.outer(function)
    except ValueError:
        return 0


print(sum(call(back) + call(fails) for _ in range(50)))
