"""Functions with hooks behave as without them on every way out: results, tracebacks, and what trace and profile functions see.
Each activation is entered and left once."""

import os
import sys
import unittest

import _rewrite_test
import rewritten

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program_exits.py")
with open(PATH, encoding="utf-8") as file:
    SOURCE = file.read()


def load(hooked):
    return rewritten.run(SOURCE, hooked)["main"]


def record(main, install, opcodes=False):
    """The program's log, and the events that a trace or profile function sees in it."""
    events = []

    def see(frame, event, argument):
        if frame.f_code.co_filename != "program.py":
            return None
        if event == "exception":
            argument = argument[0].__name__
        elif not (event == "return" and isinstance(argument, (int, str))):
            argument = None
        events.append((event, frame.f_code.co_name, frame.f_lineno, argument))
        return see

    install(see)
    try:
        log = main()
    finally:
        install(None)
    return log, events


class Exits(rewritten.Case):
    maxDiff = 3000

    def test_log_and_tracebacks_are_the_same(self):
        plain = load(False)()
        hooked = load(True)
        _rewrite_test.reset()
        self.assertEqual(plain, hooked())
        counts = self.check_pairs()
        self.assertGreater(counts["entered"], 200)
        self.assertGreater(counts["resumed"], 50)

    def test_trace_function_sees_the_same(self):
        plain = record(load(False), sys.settrace)
        hooked = record(load(True), sys.settrace)
        self.assertEqual(plain, hooked)
        self.assertGreater(len(plain[1]), 1000)
        self.check_pairs()

    def test_profile_function_sees_the_same(self):
        plain = record(load(False), sys.setprofile)
        hooked = record(load(True), sys.setprofile)
        self.assertEqual(plain, hooked)
        self.assertGreater(len(plain[1]), 500)
        self.check_pairs()

    def test_trace_function_that_raises(self):
        """At every event in turn: an activation is left however it ends."""
        source = (
            "def inner(x):\n    try:\n        return 1 // x\n    except ZeroDivisionError:\n        return 0\n"
            "def numbers():\n    try:\n        yield inner(0)\n        yield from (inner(1), 2)\n    finally:\n        inner(2)\n"
            "def main():\n    return sum(numbers())\n")

        def outcome(main, number):
            left = number

            def see(frame, event, argument):
                nonlocal left
                if frame.f_code.co_filename == "program.py":
                    left -= 1
                    if left == 0:
                        raise RuntimeError((frame.f_code.co_name, event, frame.f_lineno))
                return see

            sys.settrace(see)
            try:
                return main()
            except RuntimeError as error:
                return error.args, [line for _, line in walk(error.__traceback__)]
            finally:
                sys.settrace(None)

        def walk(tb):
            while tb:
                yield tb.tb_frame.f_code.co_name, tb.tb_lineno
                tb = tb.tb_next

        plain, hooked = rewritten.run(source, False)["main"], rewritten.run(source, True)["main"]
        for number in range(1, 80):
            self.assertEqual(outcome(plain, number), outcome(hooked, number), number)
            self.check_pairs()

    def test_positions_of_instructions_are_the_same(self):
        """Without the hooks, lines and columns are those of the plain function."""
        code = rewritten.run(SOURCE, False)["nested"].__code__
        made = _rewrite_test.rewrite(code)
        self.assertEqual({line for _, _, line in code.co_lines() if line}, {line for _, _, line in made.co_lines() if line})
        self.assertTrue(set(code.co_positions()) <= set(made.co_positions()))

    def test_bodies_of_classes_and_modules_are_left_alone(self):
        module = compile("class C:\n    x = 1\n", "x", "exec")
        self.assertIsNone(_rewrite_test.rewrite(module))
        self.assertIsNone(_rewrite_test.rewrite(module.co_consts[0]))

    def test_second_rewriting_is_refused(self):
        code = _rewrite_test.rewrite(load.__code__)
        self.assertIsNone(_rewrite_test.rewrite(code))

    def test_unknown_bytecode_is_refused(self):
        def function():
            return 1
        code = function.__code__
        for bad in (b"\xff\x00" + code.co_code, code.co_code[:-2] + b"\x00\x00"):
            self.assertIsNone(_rewrite_test.rewrite(code.replace(co_code=bad)))
        self.assertIsNone(_rewrite_test.rewrite(code.replace(co_linetable=b"")))

    def test_arguments_and_results(self):
        def function(a, b=2, *c, d, e=5, **f):
            def inner():
                return a, d
            return inner()

        def constant():
            return "constant"

        def raises():
            raise KeyError

        def generator(x):
            yield x
            return x + 1

        for one in (function, constant, raises, generator):
            rewritten.hook(one, "count", True)
        _rewrite_test.take_values()
        self.assertEqual(function(1, 2, 3, d=4, g=6), (1, 4))
        self.assertEqual(constant(), "constant")
        self.assertRaises(KeyError, raises)
        self.assertEqual(list(generator(7)), [7])
        self.assertEqual(_rewrite_test.take_values(), [
            ("arguments", (1, 2, 4, 5, (3,), {"g": 6})), ("result", ((1, 4),)), ("arguments", ()), ("result", ("constant",)),
            ("arguments", ()), ("arguments", (7,)), ("result", (8,))])
        self.check_pairs(entered=4, resumed=1)


if __name__ == "__main__":
    unittest.main()
