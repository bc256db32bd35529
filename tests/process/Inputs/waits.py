"""waits.py REPORT WAITS: the report of a program that has waited for seconds and worked for milliseconds."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
functions = {row["function"]: row for row in report["functions"]}
assert set(functions) == {"leaf", "middle", "top"}, functions.keys()
assert report["calls"] == 220001, report["calls"]
assert report["waits"] == int(sys.argv[2]), report["waits"]
# The wall time has the waits, functions do not have them: two seconds here, nanoseconds there.
assert report["waited_ns"] > 1e9, report["waited_ns"]
assert report["wall_ns"] > report["waited_ns"], report["wall_ns"]
work = report["wall_ns"] - report["waited_ns"]
assert functions["top"]["total_ns"] <= work, (functions["top"], work)
assert sum(row["self_ns"] for row in functions.values()) <= work, (functions, work)
for name in ("leaf", "middle"):
    assert functions[name]["max_ns"] < 1e9, functions[name]
