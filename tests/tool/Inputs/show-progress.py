#!/usr/bin/env python3
"""Writes a trace into a pipe until the command that reads it has shown its progress; prints how many calls it has.

    show-progress.py terminal|file LABEL PIPE COMMAND...

The command's stdout goes to out.txt. With `terminal` its stderr is a terminal: the line "dftrace: LABEL: ..." appears, and is
erased in the end. With `file` nothing is shown.
"""

import os
import pty
import select
import subprocess
import sys
import time

kind, label, path, *command = sys.argv[1:]
line = f"dftrace: {label}: ".encode()
master, terminal = pty.openpty()
with open("out.txt", "wb") as out, open("err.txt", "wb") as err:
    tool = subprocess.Popen(command, stdout=out, stderr=terminal if kind == "terminal" else err)
os.close(terminal)
shown = b""
calls = 0
start = time.monotonic()


def read_terminal():
    global shown
    while select.select([master], [], [], 0)[0]:
        try:
            data = os.read(master, 4096)
        except OSError:  # the tool has ended
            data = b""
        shown += data
        if not data:
            return


def is_done():
    return line in shown if kind == "terminal" else calls >= 200000


with open(path, "w", encoding="utf-8") as trace:
    trace.write("[\n")
    while not is_done():
        assert time.monotonic() - start < 120, shown
        for _ in range(20000):
            trace.write(f'{{"name":"f","ph":"X","pid":1,"tid":1,"ts":{calls},"dur":1}},\n')
            calls += 1
        trace.flush()
        time.sleep(0.05)
        read_terminal()
    trace.write('{"name":"last","ph":"X","pid":1,"tid":1,"ts":9,"dur":1}]\n')
assert tool.wait() == 0
read_terminal()
if kind == "terminal":
    assert shown.startswith(b"\r" + line) and shown.endswith(b"\r\x1b[K"), shown
with open("err.txt", "rb") as err:
    assert err.read() == b""
print(calls + 1)
