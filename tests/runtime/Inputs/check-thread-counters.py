"""Checks the counters of threads: check-thread-counters.py TRACE MOMENTS

MOMENTS has the times, in microseconds, at which the program has begun its thread, and at which that one was
gone for long.
"""

import collections
import gzip
import json
import sys

with gzip.open(sys.argv[1], "rt") as file:
    events = json.load(file)
with open(sys.argv[2]) as file:
    begun, gone = (float(word) for word in file.read().split())

tracks = collections.defaultdict(list)
for event in events:
    if event["ph"] == "C" and event["name"] == "thread cpu":
        for key, value in event["args"].items():
            tracks[key].append((event["ts"], value))
pid = next(event["pid"] for event in events if event["ph"] == "X")
main = tracks.pop(f"prog {pid} pct")
first = min(event["ts"] for event in events if event["name"] == "cpu")

if main[0][0] != first:
    sys.exit(f"the main thread begins at {main[0][0]}, the process at {first}")
if not any(value > 0 for at, value in main if at < begun):
    sys.exit(f"the main thread has used nothing before {begun}: {main}")
if len(tracks) != 1:
    sys.exit(f"one other thread was expected: {list(tracks)}")
for key, track in tracks.items():
    if not any(value > 0 for _, value in track):
        sys.exit(f"{key} has used nothing: {track}")
    if track[-1][1] != 0 or not begun < track[-1][0] < gone:
        sys.exit(f"{key} does not end between {begun} and {gone}: {track}")
