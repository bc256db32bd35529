"""What the tests of the rewriter share."""

import types
import unittest

import _rewrite_test


def rewrite_functions(code):
    """A code object whose functions, at any depth, have hooks."""
    constants = tuple(rewrite(constant) if isinstance(constant, types.CodeType) else constant for constant in code.co_consts)
    return code.replace(co_consts=constants)


def rewrite(code):
    code = rewrite_functions(code)
    return _rewrite_test.rewrite(code) or code


def hook(function, *arguments):
    """Gives a function hooks of its own; `arguments` are those of _rewrite_test.rewrite."""
    code = _rewrite_test.rewrite(function.__code__, *arguments)
    assert code is not None, function
    function.__code__ = code
    return function


def run(source, hooked, names=None, filename="program.py"):
    """Runs a program with or without hooks and returns its names."""
    names = {"__name__": "program"} if names is None else names
    code = compile(source, filename, "exec", dont_inherit=True)
    exec(rewrite_functions(code) if hooked else code, names)
    return names


class Case(unittest.TestCase):
    def setUp(self):
        self.assertTrue(_rewrite_test.supports())
        _rewrite_test.reset()

    def check_pairs(self, entered=None, resumed=None):
        counts = _rewrite_test.counts()
        self.assertEqual(counts["entered"] + counts["resumed"], counts["left"], counts)
        self.assertEqual(counts["unmatched"], 0, counts)
        self.assertEqual(counts["open"], 0, counts)
        if entered is not None:
            self.assertEqual(counts["entered"], entered, counts)
        if resumed is not None:
            self.assertEqual(counts["resumed"], resumed, counts)
        return counts
