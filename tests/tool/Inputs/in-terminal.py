#!/usr/bin/env python3
"""Runs a command with its output on a terminal of so many columns: in-terminal.py COLUMNS COMMAND..."""

import fcntl
import os
import pty
import struct
import sys
import termios

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
output = b""
while True:
    try:
        block = os.read(terminal, 65536)
    except OSError:  # the other end is closed
        break
    if not block:
        break
    output += block
sys.stdout.buffer.write(output.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
