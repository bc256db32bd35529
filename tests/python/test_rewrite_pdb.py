"""Debugging is the same: breakpoints by function and by line, conditions, single steps, return, up, jump."""

import bdb
import io
import linecache
import os
import pdb
import re
import tempfile
import unittest

import rewritten

SOURCE = """def leaf(x):
    y = x + 1
    return y

def numbers(limit):
    total = 0
    for i in range(limit):
        total += leaf(i)
        yield total

def fails(x):
    try:
        return 1 // x
    finally:
        leaf(x)

def main():
    found = list(numbers(4))
    try:
        fails(0)
    except ZeroDivisionError:
        found.append(-1)
    return found
"""

SCRIPTS = (
    "break leaf\ncontinue\nwhere\nargs\nstep\nstep\nreturn\nnext\ncontinue\nclear 1\ncontinue\n",
    "break numbers\ncontinue\nnext\nnext\nnext\nnext\nnext\nup\ndown\ncontinue\n",
    "break leaf, x == 2\ncontinue\np x\nuntil\nreturn\nstep\nstep\ncontinue\n",
    "tbreak fails\ncontinue\nstep\nstep\nstep\nstep\nstep\nstep\nstep\ncontinue\n",
    "break 3\ncontinue\np y\njump 2\nnext\np y\nclear 1\ncontinue\n",
    "step\nstep\nstep\nstep\nstep\nstep\nstep\nstep\nstep\nstep\nstep\nstep\nstep\nstep\nstep\nstep\nstep\ncontinue\n",
)


class Debugger(rewritten.Case):
    def test_sessions_are_the_same(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "debugged.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(SOURCE)
            for script in SCRIPTS:
                sessions = []
                for hooked in (False, True):
                    linecache.clearcache()
                    bdb.Breakpoint.clearBreakpoints()
                    names = rewritten.run(SOURCE, hooked, {"__name__": "debugged", "__file__": path}, path)
                    output = io.StringIO()
                    debugger = pdb.Pdb(stdin=io.StringIO(script), stdout=output, nosigint=True, readrc=False)
                    debugger.use_rawinput = False
                    result = debugger.runcall(names["main"])
                    text = re.sub(r"0x[0-9a-f]+|test_rewrite_pdb.py\(\d+\)", "-", output.getvalue())
                    sessions.append((result, text))
                self.assertEqual(*sessions)
                self.assertIn("debugged.py", sessions[0][1])
        self.check_pairs()


if __name__ == "__main__":
    unittest.main()
