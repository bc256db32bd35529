"""Reads traces: the program's own events, in the order in which they were recorded."""

import glob
import gzip
import json

OWN = ("dftrace", "dftracer")  # of events about the trace itself
ABOUT_THE_SOURCE = ("file", "line", "hhash")


def read_lines(pattern):
    events = []
    for path in sorted(glob.glob(pattern)):
        with gzip.open(path, "rt") as file:
            lines = [line.strip() for line in file]
        events += [json.loads(line) for line in lines if line not in ("[", "]", ",")]
    return events


def read(pattern):
    """(name, category, values) of each region."""
    return [
        (event["name"], event["cat"], {k: v for k, v in event.get("args", {}).items() if k not in ABOUT_THE_SOURCE})
        for event in read_lines(pattern)
        if event["ph"] == "X" and event["cat"] not in OWN
    ]


def read_metadata(pattern):
    """The program's metadata."""
    all_metadata = {}
    for event in read_lines(pattern):
        if event["ph"] == "M" and event["name"] == "metadata":
            all_metadata.update(event["args"])
    return all_metadata


def read_instants(pattern):
    """(name, values) of each instant."""
    return [(event["name"], event["args"]) for event in read_lines(pattern) if event["ph"] == "i"]


def same(found, expected):
    """Fails with the first difference between two lists of events."""
    for number, (left, right) in enumerate(zip(found, expected)):
        assert left == right, f"event {number} is {left}, expected {right}"
    assert len(found) == len(expected), f"{len(found)} events, expected {len(expected)}: {found[len(expected):]}"
