#!/usr/bin/env python3
"""Fails unless dftrace report --io says the same of two traces: same-io.py DFTRACE A B. Times are exact in both."""

import json
import subprocess
import sys


def report(path):
    done = subprocess.run([sys.argv[1], "report", "--io", "--json", path], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


a, b = report(sys.argv[2]), report(sys.argv[3])
for row in a["io_processes"] + b["io_processes"]:
    del row["trace"]
for part in ("files", "functions", "io_processes", "advice"):
    assert a[part] == b[part], (part, [pair for pair in zip(a[part], b[part]) if pair[0] != pair[1]][:2])
assert a["files"] and a["functions"]
