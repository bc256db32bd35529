#!/usr/bin/env python3
"""Checks the examples and the table of docs/CONFIGURATION.md: check-configuration-manual.py MANUAL DFTRACE KEYS.C."""

import re
import subprocess
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    manual = file.read()


def check(text):
    with open("example.yaml", "w", encoding="utf-8") as example:
        example.write(text)
    done = subprocess.run([sys.argv[2], "check", "example.yaml"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, (text, done.stdout)
    return done.stdout.decode()


examples = re.findall(r"```yaml\n(.*?)```", manual, re.DOTALL)
assert len(examples) == 4, examples
explained = [check(example) for example in examples]
rules = [[line.split(None, 1)[1] for line in text.splitlines()] for text in explained[1:3]]
assert sorted(rules[0]) == sorted(rules[1]) and len(rules[0]) == 5, rules

rows = re.findall(r"^\| `([a-z_.]+)` \| (?:`(DFTRACER_\w+)`|–) \|(.*)\|$", manual, re.MULTILINE)
with open(sys.argv[3], encoding="utf-8") as file:
    keys = re.findall(r'\.path = "([a-z_.]+)"', file.read())
assert len(keys) > 20 and sorted(keys) == sorted(row[0] for row in rows), keys
VALUES = {"enable": "1", "init": "HYBRID", "log_level": "INFO", "interval": "5", "write_buffer_size": "1M", "tid": "1", "variorum.enable": "0"}
for path, option, remark in rows:
    names = path.split(".")
    value = "1"
    for end, special in VALUES.items():
        if path.endswith(end):
            value = special
    output = check("{" + ": {".join(names) + ": " + value + "}" * len(names) + "\n")
    if not option:
        assert "DFTRACER_" not in output, output
        continue
    shown = ("0" if value == "1" else "1") if "the opposite" in remark else value
    assert f"{option}={shown}" in output, (path, output)
    assert ("(without effect)" in output) == ("no effect" in remark), (path, output)
