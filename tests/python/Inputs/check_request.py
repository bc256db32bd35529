"""Compares each field of the trace of test_request.py with what Python itself says: check_request.py SOURCE MODULE TRACE"""

import gzip
import importlib.util
import json
import os
import sys

source, module, path = sys.argv[1:]
spec = importlib.util.spec_from_file_location("request", source)
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)
with gzip.open(path, "rt", encoding="utf-8") as file:
    events = json.load(file)

area = program.Shape.area.__code__
codes = {code.co_qualname: code for code in (program.foo.__code__, program.test_trace.__code__, area, *area.co_consts)
         if hasattr(code, "co_code")}
described = {event["args"]["function"]: event["args"] for event in events if event["name"] == "function"}
assert described.keys() == codes.keys(), (described.keys(), codes.keys())
for name, code in codes.items():
    args = described[name]
    flags = bool(code.co_flags & 4) + bool(code.co_flags & 8)
    count = code.co_argcount + code.co_kwonlyargcount + flags
    expected = {
        "file": source,
        "line": code.co_firstlineno,
        "language": "python",
        "module": module,
        "stack_size": code.co_stacksize,
        "parameters": ",".join(code.co_varnames[:count]),
        "locals": ",".join([*code.co_varnames[count:], *(cell for cell in code.co_cellvars if cell not in code.co_varnames)]),
    }
    for field, value in expected.items():
        assert args.get(field, "") == value, (name, field, args.get(field), value)

calls = sorted((event for event in events if event["ph"] == "X" and event["cat"] == "FUNC"), key=lambda event: event["ts"])
assert [call["name"] for call in calls] == ["test_trace", "foo", "foo", "Shape.area", "Shape.area.<locals>.scaled"], calls
process, = [event for event in events if event["name"] == "process_name"]
pid = int(os.path.basename(path).split("-")[-1].split(".")[0])
assert process["pid"] == pid and process["args"]["name"].startswith(("python", "pytest")), process
outer = calls[0]
for call in calls:
    args = call["args"]
    assert call["pid"] == pid and call["tid"] == pid
    assert outer["ts"] <= call["ts"] and call["ts"] + call["dur"] <= outer["ts"] + outer["dur"] + 0.001
    assert args["file"] == source and args["line"] == codes[call["name"]].co_firstlineno
    assert 0 <= args["cpu_us"] and args["rss_kb"] > 1000 and "rss_delta_kb" in args and "minflt" in args
assert calls[1]["dur"] > calls[2]["dur"] > 0, "20,000 rounds last longer than 500"
assert calls[1]["args"]["cpu_us"] > 0
print("all fields agree")
