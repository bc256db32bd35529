"""Checks the last value of each counter: last-values.py TRACE EXPECTED, with lines "NAME VALUE..." in EXPECTED."""

import json
import re
import sys

last = {}
with open(sys.argv[1], encoding="utf-8") as file:
    for event in json.load(file):
        if event["ph"] == "C" and event["ts"] >= last.get(event["name"], (-1,))[0]:
            last[event["name"]] = event["ts"], list(event["args"].values())[0]
with open(sys.argv[2], encoding="utf-8") as file:
    lines = [re.fullmatch(r"((?:sum )?\w+) (.*)", line.rstrip("\n")).groups() for line in file]
wrong = [(name, last.get(name), values) for name, values in lines if name not in last or last[name][1] not in map(float, values.split())]
print(len(lines), "counters;", "wrong:", wrong)
sys.exit(not lines or bool(wrong))
