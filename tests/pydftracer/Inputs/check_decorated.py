"""Checks the traces of decorated.py: that of the process, then that of its child."""

import collections
import glob
import sys

import events

traces = sorted(glob.glob(sys.argv[1]), key=lambda path: len(events.read(path)))
assert len(traces) == 2, traces
events.same(sorted(events.read(traces[0])), [("evaluate", "pipeline", {}), ("test", "pipeline", {})])

found = events.read(traces[1])
of_threads = [(values["thread"], values["step"]) for _, _, values in found if "thread" in values]
assert sorted(of_threads) == [(thread, step) for thread in range(4) for step in range(10)], of_threads
rest = [event for event in found if "thread" not in event[2]]
counts = collections.Counter(f"{name} [{category}]" for name, category, _ in rest)
expected = {
    "function [kinds]": 1, "generator [kinds]": 2, "fails [kinds]": 3, "<module> [kinds]": 1,
    "coroutine [kinds]": 4, "coroutine (resumed) [kinds]": 4, "Base.method [kinds]": 1, "Derived.method [kinds]": 1,
    "Base.class_method [kinds]": 2, "Base.inner_class_method [kinds]": 1, "Base.static_method [kinds]": 2,
    "Base.value [kinds]": 1, "Strange.method [kinds]": 1, "forward [compute]": 4, "backward [compute]": 2,
    "step [compute]": 2, "fetch [dataloader]": 1, "fetch.iter [dataloader]": 3, "fetch.block [dataloader]": 3,
    "item.iter [data]": 80, "item.block [data]": 80, "send [comm]": 1, "train [pipeline]": 1,
    "first.iter [kinds]": 3, "first.yield [kinds]": 3, "second.iter [kinds]": 3, "second.yield [kinds]": 3,
}
assert counts == expected, (counts - collections.Counter(expected), collections.Counter(expected) - counts)
values = {}
for name, _, own in rest:
    values.setdefault(name, []).append(own)
assert values["Strange.method"] == [{"image_size": "(3, 4)"}], values["Strange.method"]
steps = collections.Counter(own["step"] for own in values["coroutine"] + values["coroutine (resumed)"])
assert steps == {1: 3, 2: 2, 3: 1, 4: 2}, steps
assert {own["step"]: own["n"] for own in values["coroutine"] + values["coroutine (resumed)"] if "n" in own} == {1: 2, 2: 1, 3: 0}
