"""Compares the counters of a trace with what the program has measured itself.

    compare-counters.py TRACE MEASURED

MEASURED has KEY=VALUE words: what the program has used from the beginning of main to its end. Counters of
intervals are added up; the largest one counts of levels.
"""

import collections
import gzip
import json
import sys

NAMES = {
    "cpu": ["user_pct", "system_pct"],
    "memory": ["rss_kb", "peak_rss_kb"],
    "threads": ["threads"],
    "page faults": ["minflt", "majflt"],
    "context switches": ["vcsw", "ivcsw"],
    "io": ["read_bytes", "write_bytes", "storage_read_bytes", "storage_write_bytes"],
}
# How much more than main itself a process may use: start, end, and the writer.
SLACK = {"cpu_ms": 40, "minflt": 600, "read_bytes": 65536, "write_bytes": 4096, "peak_rss_kb": 4096, "threads": 0}
SHARE = 0.1


def main():
    with gzip.open(sys.argv[1], "rt") as file:
        events = json.load(file)
    with open(sys.argv[2]) as file:
        measured = {key: float(value) for key, value in (word.split("=") for word in file.read().split())}
    tracks = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "C":
            tracks[event["name"]].append(event)
    for name, keys in NAMES.items():
        if name not in tracks:
            sys.exit(f"no counter {name!r}")
        for event in tracks[name]:
            if list(event["args"]) != keys:
                sys.exit(f"{name}: {list(event['args'])}, expected {keys}")
    for name, track in tracks.items():
        times = [event["ts"] for event in track]
        if times != sorted(set(times)) and name != "thread cpu":
            sys.exit(f"{name}: times that do not grow: {times}")
    peaks = [event["args"]["peak_rss_kb"] for event in tracks["memory"]]
    if peaks != sorted(peaks):
        sys.exit(f"a peak that falls: {peaks}")
    start = next(event for event in events if event["name"] == "start")
    end = next(event for event in events if event["name"] == "end")
    if tracks["memory"][0]["ts"] > start["ts"] + 1e6 or len(tracks["memory"]) < 2:
        sys.exit("no memory at the beginning and at the end")

    found = {}
    times = [event["ts"] for event in tracks["cpu"]] + [end["ts"]]
    found["cpu_ms"] = sum(
        sum(event["args"].values()) / 100 * (until - since) / 1000
        for event, since, until in zip(tracks["cpu"], times, times[1:])
    )
    for name in ("page faults", "io"):
        for key in NAMES[name]:
            found[key] = sum(event["args"][key] for event in tracks[name])
    for name in ("memory", "threads"):
        for key in NAMES[name]:
            found[key] = max(event["args"][key] for event in tracks[name])
    for key, slack in SLACK.items():
        value = measured[key]
        if not value * (1 - SHARE) - slack <= found[key] <= value * (1 + SHARE) + slack:
            sys.exit(f"{key} is {found[key]}, the program has measured {value}")
        print(key, found[key], value)


main()
