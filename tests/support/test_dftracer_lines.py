"""Reads the expected traces of tests/unit in DFTracer's format as DFAnalyzer does, and finds every event of the JSON trace.

Both are written from the same spool, whose names have quotes, backslashes, control characters and invalid UTF-8. The rules are those of
DFAnalyzer's loader: each line is parsed alone; lines that begin with [ or ] are passed over; a line that does not parse is dropped;
`ph` is needed, `name` as well where that is M, and `cat` where there are args.
"""

import collections
import json
import os
import sys

EXPECTED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "unit", "expected")
OWN = ("dftrace", "dftracer")


def load_line(line):
    """The event in a line, or None. Raises where the loader does."""
    line = "".join(character if ord(character) < 128 else "#" for character in line)
    if not line or line[0] in "[]":
        return None
    try:
        event = json.loads(line)
    except ValueError:
        return None  # logged and dropped
    if event["ph"] == "M":
        assert event["name"]
    if "args" in event:
        assert "cat" in event
    return event


def plain(name):
    return "".join(character if ord(character) < 128 else "#" for character in name)


def calls_of(events):
    """Instants included: i in JSON, X without a duration in DFTracer's lines."""
    return collections.Counter(plain(event["name"]) for event in events if event["ph"] in "Xi" and event["cat"] not in OWN)


def check(name):
    with open(os.path.join(EXPECTED, name + ".json"), encoding="utf-8") as file:
        reference = json.load(file)
    with open(os.path.join(EXPECTED, name + ".dftracer"), encoding="utf-8") as file:
        lines = file.read().split("\n")
    assert lines[0] == "[" and lines[-2:] == ["]", ""], "brackets"
    events = [event for event in map(load_line, lines) if event]
    assert len(events) == len(lines) - 3, "a line was dropped"
    assert [event["id"] for event in events] == list(range(len(events))), "ids are not dense"
    assert calls_of(events) == calls_of(reference), (calls_of(events), calls_of(reference))
    for phase in "CM":
        found, wanted = (sum(event["ph"] == phase for event in some) for some in (events, reference))
        hashes = sum(event["name"] in ("HH", "FH", "SH") for event in events) if phase == "M" else 0
        assert found - hashes == wanted, (phase, found, hashes, wanted)
    counts = [sum(event["args"].get(key, 0) for event in some if event["ph"] == "C") for some, key in ((events, "dft_cnt"), (reference, "count"))]
    assert counts[0] == counts[1], counts
    seen = set()
    for event in events:
        for key in ("id", "pid", "tid", "ts", "dur"):
            assert key not in event or (isinstance(event[key], int) and event[key] >= 0), event
        if event["name"] in ("HH", "FH", "SH"):
            seen.add(event["args"]["value"])
        used = {event["args"].get(key) for key in ("hhash", "exec_hash", "cmd_hash")} - {None}
        assert used <= seen, f"used before it is announced: {event}"
        assert all(len(value) == 16 and int(value, 16) >= 0 for value in used), event
    start, offset = reference[1], next(event["ts"] for event in events if event["name"] == "start")
    base = start["args"]["realtime_offset_ns"]
    assert offset == int((round(start["ts"] * 1000) + base) // 1000)
    ends = [event["args"] for some in (events, reference) for event in some if event["name"] == "end"]
    ends[0].pop("hhash")
    assert ends[0] == ends[1], ends
    print(f"{name}: {len(events)} lines, {sum(calls_of(events).values())} calls")


for trace in ("full", "without-args"):
    check(trace)
sys.exit(0)
