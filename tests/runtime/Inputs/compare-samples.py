"""Compares the samples in a trace with what the program has measured itself, by the same clocks.

    compare-samples.py TRACE MEASURED

MEASURED has one line a call, in order: the function's name and KEY=VALUE for each figure, taken just
around the call. So none of the trace's figures is larger, but for what dftrace itself does not count.
"""

import gzip
import json
import sys

# How far off a figure may be: a share of it, and a little that any call may cost.
SLACK = {"cpu_us": 300, "rss_delta_kb": 1024, "minflt": 64, "majflt": 4, "vcsw": 3, "ivcsw": 3}
SHARE = 0.1


def main():
    with gzip.open(sys.argv[1], "rt") as file:
        events = json.load(file)
    calls = sorted((event for event in events if "tdur" in event), key=lambda event: event["ts"])
    with open(sys.argv[2]) as file:
        measured = [line.split() for line in file]
    if [call["name"] for call in calls] != [words[0] for words in measured]:
        sys.exit(f"calls {[call['name'] for call in calls]}, expected {[words[0] for words in measured]}")
    cpu = peak = 0
    for call, (name, *figures) in zip(calls, measured):
        args = call["args"]
        expected = {key: float(value) for key, value in (figure.split("=") for figure in figures)}
        if call["dur"] > expected.pop("wall_us"):
            sys.exit(f"{name}: has lasted longer than what is around it")
        for key, value in expected.items():
            if abs(args[key] - value) > SHARE * abs(value) + SLACK[key]:
                sys.exit(f"{name}: {key} is {args[key]}, the program has measured {value}")
        if abs(args["cpu_pct"] - 100 * args["cpu_us"] / call["dur"]) > 0.06:
            sys.exit(f"{name}: cpu_pct is {args['cpu_pct']}: {call}")
        if args["cpu_us"] != call["tdur"] or args.get("peak_rss_kb", args["rss_kb"]) < args["rss_kb"]:
            sys.exit(f"{name}: figures that cannot be: {call}")
        if args.get("peak_rss_kb", peak) < peak:
            sys.exit(f"{name}: peak_rss_kb goes back from {peak} to {args['peak_rss_kb']}")
        peak = args.get("peak_rss_kb", peak)
        if call["tts"] < cpu:
            sys.exit(f"{name}: tts goes back from {cpu} to {call['tts']}")
        cpu = call["tts"] + call["tdur"]
        print(name, {key: args[key] for key in expected}, "cpu_pct", args["cpu_pct"])


main()
