#!/usr/bin/env python3
"""Runs a command with its output on a terminal of so many columns: in-terminal.py COLUMNS COMMAND...

The kernel may drop what was written last when a terminal's last writer ends: this end stays open
until a mark, which is written after the command has ended, has been read.
"""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading

MARK = b"\0"

terminal, end = pty.openpty()
fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
command = subprocess.Popen(sys.argv[2:], stdin=end, stdout=end, stderr=end)


def mark_the_end():
    command.wait()
    os.write(end, MARK)


threading.Thread(target=mark_the_end).start()
output = b""
while not output.endswith(MARK):
    output += os.read(terminal, 65536)
sys.stdout.buffer.write(output[: -len(MARK)].replace(b"\r\n", b"\n"))
sys.exit(command.wait())
