"""Code objects with hooks in other places: marshalled, pickled, copied, in subinterpreters, in processes that fork or end."""

import copy
import copyreg
import importlib.util
import marshal
import os
import pickle
import subprocess
import sys
import types
import unittest

import _rewrite_test
import rewritten

SOURCE = """
def work(n, *rest):
    total = 0
    def numbers():
        try:
            for i in range(n):
                yield i
            yield from rest
        finally:
            pass
    for i in numbers():
        total += i
    try:
        return total // (n - 3)
    except ZeroDivisionError:
        return "zero"
"""
RUN = "import types; f = types.FunctionType(code, {'__builtins__': __builtins__}); print(f(3, 9), f(5, 9))"
EXPECTED = "zero 9"


def without_dftrace(program):
    """The output of a program that cannot find our module."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-I", "-b", "-W", "error", "-c", program], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode().strip(), done.stderr.decode()


def reduce_code(code):
    """As cloudpickle does: the arguments of the constructor."""
    names = ("argcount", "posonlyargcount", "kwonlyargcount", "nlocals", "stacksize", "flags", "code", "consts", "names", "varnames",
             "filename", "name", "qualname", "firstlineno", "linetable", "exceptiontable", "freevars", "cellvars")
    return make_code, tuple(getattr(code, "co_" + name) for name in names)


def make_code(*arguments):
    return types.CodeType(*arguments)


def make(*arguments):
    code = rewritten.rewrite_functions(compile(SOURCE, "work.py", "exec").co_consts[0])
    return _rewrite_test.rewrite(code, *arguments)


class Elsewhere(rewritten.Case):
    def check(self, expression):
        self.assertEqual(without_dftrace(f"import marshal, pickle, types; code = {expression}; {RUN}"), (0, EXPECTED, ""))

    def test_marshal(self):
        self.check(f"marshal.loads({marshal.dumps(make())!r})")

    def test_marshal_with_arguments_and_results(self):
        self.check(f"marshal.loads({marshal.dumps(make('count', True))!r})")

    def test_pickle(self):
        copyreg.pickle(types.CodeType, reduce_code)
        try:
            pickled = pickle.dumps(make("count", True))
            # The other process has a function of this name as well.
            self.check(f"(__import__('sys').modules['__main__'].__dict__.update(make_code=types.CodeType), pickle.loads({pickled!r}))[1]")
        finally:
            del copyreg.dispatch_table[types.CodeType]

    def test_copies_keep_their_hooks(self):
        for code in (copy.deepcopy(make()), copy.copy(make()), make().replace(co_name="renamed")):
            _rewrite_test.reset()
            self.assertEqual(types.FunctionType(code, globals())(5, 9), 9)
            self.check_pairs(entered=2, resumed=6)
        probe = next(constant for constant in make().co_consts if type(constant).__name__ == "probe")
        self.assertIs(copy.deepcopy([probe])[0], probe)

    def test_code_with_hooks_is_hashed_and_compared(self):
        code = make()
        self.assertEqual(code, copy.copy(code))
        self.assertEqual(hash(code), hash(copy.copy(code)))
        self.assertNotEqual(code, make())

    def test_probes_cannot_be_made_or_changed(self):
        probe = type(make().co_consts[-1])
        self.assertRaises(TypeError, probe)
        with self.assertRaises(TypeError):
            probe.__bool__ = None

    def run_here(self, program):
        done = subprocess.run([sys.executable, "-B", "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def test_ends_of_processes(self):
        prologue = ("import _rewrite_test, os, sys, threading\n_rewrite_test.rewrite_all((lambda: 0).__code__)\n"
                    "exec('''\n%s\n''')\n")
        for body, expected in (
                ("def f():\n    os._exit(3)\nf()", (3, "", "")),
                ("def f():\n    sys.exit(4)\nf()", (4, "", "")),
                ("def f():\n    os.execv(sys.executable, [sys.executable, \"-c\", \"print(5)\"])\nf()", (0, "5\n", "")),
                ("def f():\n    pid = os.fork()\n    if pid == 0:\n        os._exit(6)\n"
                 "    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
                 "t = threading.Thread(target=f)\nt.start()\nt.join()", (0, "6\n", "")),
                ("def g():\n    while True:\n        yield 1\ndef f():\n    ready.set()\n    for i in g():\n        pass\n"
                 "ready = threading.Event()\nthreading.Thread(target=f, daemon=True).start()\nready.wait()", (0, "", ""))):
            status, output, errors = self.run_here(prologue % body)
            if "fork" in body:  # 3.12 and later warn of a fork while there are threads
                errors = ""
            self.assertEqual((status, output, errors), expected, body)

    def test_subinterpreters(self):
        """Also those with a lock of their own, at once."""
        for name in ("_interpreters", "_xxsubinterpreters"):
            if importlib.util.find_spec(name):
                break
        else:
            self.skipTest("this interpreter has no module for subinterpreters")
        program = f"""
import {name} as interpreters, sys, threading, _rewrite_test
_rewrite_test.rewrite_all((lambda: 0).__code__)
source = '''
def leaf(x): return x
def numbers():
    for i in range(1000):
        yield leaf(i)
assert sum(numbers()) == 499500
'''
_rewrite_test.reset()
made = [interpreters.create() for _ in range(3)]
threads = [threading.Thread(target=interpreters.run_string, args=(one, source)) for one in made]
if sys.version_info >= (3, 12):
    for thread in threads: thread.start()
    for thread in threads: thread.join()
else:  # 3.11 hangs when they run at once, also without hooks
    for one in made: interpreters.run_string(one, source)
for one in made: interpreters.destroy(one)
counts = _rewrite_test.counts()
print(counts["entered"] >= 3003, counts["resumed"] >= 3000, counts["left"] >= 6003, counts["unmatched"])
"""
        self.assertEqual(self.run_here(program), (0, "True True True 0\n", ""))


if __name__ == "__main__":
    unittest.main()
