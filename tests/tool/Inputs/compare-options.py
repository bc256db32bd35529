#!/usr/bin/env python3
"""Compares `dftrace options` with the table itself: compare-options.py options.def JSON TEXT."""

import json
import re
import sys

ROW = re.compile(r'^DFTRACE_OPTION\((\w+),\s*(\w+),\s*(\w+),\s*"([^"]*)",\s*(\w+),\s*"([^"]*)"\)', re.MULTILINE)

with open(sys.argv[1], encoding="utf-8") as file:
    table = ROW.findall(file.read())
with open(sys.argv[2], encoding="utf-8") as file:
    listed = json.load(file)
with open(sys.argv[3], encoding="utf-8") as file:
    used, ignored = file.read().split("they do nothing yet")
assert len(table) > 5
expected = [
    {"name": "DFTRACER_" + name, "type": kind, "default": default, "used": effect == "USED", "help": text}
    for _, name, kind, default, effect, text in table
]
assert listed == expected, (listed, expected)
for option in expected:
    group = used if option["used"] else ignored
    assert re.search(rf"^  {option['name']}\s.*{re.escape(option['help'])}$", group, re.MULTILINE), option
