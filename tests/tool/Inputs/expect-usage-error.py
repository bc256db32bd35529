#!/usr/bin/env python3
"""Runs dftrace with mistaken command lines: each must end with exit code 2 and print to stderr only."""

import subprocess
import sys

LINES = (
    "",
    "repotr",
    "zzzzzz",
    "--verison",
    "help repotr",
    "report",
    "report --srot x",
    "report --sort",
    "report --sort slef x",
    "report --top -1 x",
    "report --json=1 x",
    "check",
    "check x --src y",
    "config x",
    "config --cflags",
    "config --static",
    "config --cflag",
    "options x",
)

for line in LINES:
    result = subprocess.run([sys.argv[1], *line.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert result.returncode == 2, (line, result)
    assert result.stdout == b"", (line, result)
    print(f"[{line}]", result.stderr.decode(), end="")
