"""throw() and close() through three levels of delegation; what the interpreter says of a suspended generator or coroutine."""

import sys
import types
import unittest

import rewritten

SOURCE = """
import types

class Iterator:
    def __init__(self): self.left = 3
    def __iter__(self): return self
    def __next__(self):
        self.left -= 1
        if self.left < 0:
            raise StopIteration("exhausted")
        return self.left

class Throwing(Iterator):
    def throw(self, *error):
        if self.left:
            return "thrown into"
        raise StopIteration("stopped")
    def close(self): self.left = "closed"

def inner(log):
    try:
        yield 1
        yield 2
    except ValueError as error:
        log.append("inner " + str(error))
        yield "inner caught"
    except GeneratorExit:
        log.append("inner closed")
        raise
    finally:
        log.append("inner end")
    return "inner result"

def middle(log, into=None):
    try:
        result = yield from inner(log) if into is None else into
        log.append(result)
        return "middle result"
    except KeyError as error:
        log.append("middle " + str(error))
        yield "middle caught"

def outer(log, into=None):
    try:
        for _ in range(1):
            result = yield from middle(log, into)
        log.append(result)
    except OSError as error:
        log.append("outer " + str(error))
        result = "outer caught"
    return result

@types.coroutine
def suspend(value):
    return (yield value)

async def low(log):
    try:
        log.append(await suspend("a"))
        await suspend("b")
    except ValueError:
        log.append("low caught")
        return "low result"
    finally:
        await suspend("c")

async def high(log):
    log.append(await low(log))
    return "high result"
"""


def play(make, actions):
    """What happens to a generator on each of the actions, with the line and the chain of delegation."""
    events = []
    log = []
    generator = make(log)
    is_coroutine = isinstance(generator, types.CoroutineType)
    for action in actions:
        try:
            if action is None:
                events.append(generator.send(None))
            elif action == "close":
                events.append(generator.close())
            else:
                events.append(generator.throw(type(action)(*action.args)))
        except BaseException as error:
            lines = []
            tb = error.__traceback__
            while tb:
                lines.append((tb.tb_frame.f_code.co_name, tb.tb_lineno))
                tb = tb.tb_next
            # 3.11 may forget the inner part of the traceback of what is thrown into a coroutine; with hooks it does not.
            forgets = is_coroutine and sys.version_info < (3, 12)
            events.append((type(error).__name__, str(error), None if forgets else lines[1:]))
        chain = []
        one = generator
        while hasattr(one, "cr_await" if is_coroutine else "gi_yieldfrom"):
            frame = one.cr_frame if is_coroutine else one.gi_frame
            chain.append(frame and frame.f_lineno)
            one = one.cr_await if is_coroutine else one.gi_yieldfrom
        events.append((chain, type(one).__name__, list(log)))
    return events


ACTIONS = (
    [None, ValueError("v"), None, None],
    [None, None, KeyError("k"), None, None],
    [None, OSError("o"), None],
    [None, RuntimeError("r"), None],
    [None, "close", None],
    [None, None, None, None],
    [ValueError("first")],
    ["close"],
    [None, ValueError("v"), "close"],
    [None, StopIteration("s"), None],
    [None, KeyError("k"), KeyError("k"), None],
)


class Delegation(rewritten.Case):
    def compare(self, name, into=None):
        for actions in ACTIONS:
            played = []
            for hooked in (False, True):
                names = rewritten.run(SOURCE, hooked)
                make = names[name]
                played.append(play((lambda log: make(log, names[into]())) if into else make, actions))
            self.assertEqual(*played)
            self.check_pairs()

    def test_generators(self):
        self.compare("outer")

    def test_iterator_without_throw(self):
        self.compare("outer", "Iterator")

    def test_iterator_with_throw_and_close(self):
        self.compare("outer", "Throwing")

    def test_coroutines(self):
        self.compare("high")


if __name__ == "__main__":
    unittest.main()
