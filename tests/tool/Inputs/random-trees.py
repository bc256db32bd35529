#!/usr/bin/env python3
"""Compares `dftrace report --json`, its call tree and its groups with sums made from the call trees themselves.

    random-trees.py DFTRACE DIRECTORY SEED ROUNDS

Each round draws call trees for a few threads, writes them as a trace in one of the orders that
traces come in, and adds up every function's times by walking the trees. Times are small whole
nanoseconds, so that calls often begin or end together.
"""

import json
import os
import random
import subprocess
import sys


class Call:
    def __init__(self, function, start):
        self.function, self.start, self.end = function, start, start
        self.children, self.unfinished = [], False

    @property
    def duration(self):
        return self.end - self.start


def draw_call(draw, start, depth, functions, least):
    """A call with random children; its end is not before theirs. Never the same span as a child."""
    call = Call(draw.randrange(functions), start)
    now = start + draw.choice([0, 0, 1, 3])
    if depth > 0:
        for _ in range(draw.choice([0, 0, 1, 1, 2, 5])):
            child = draw_call(draw, now, draw.randrange(depth), functions, least)
            call.children.append(child)
            now = child.end + draw.choice([0, 0, 1, 2])
    call.end = max(now + draw.choice([0, 1]), start + least)
    if any((c.start, c.end) == (call.start, call.end) for c in call.children):
        call.end += 1
    return call


def draw_thread(draw, functions, least):
    now, roots = draw.randrange(20), []
    for _ in range(draw.randrange(1, 12)):
        root = draw_call(draw, now, draw.randrange(1, 9), functions, least)
        roots.append(root)
        now = root.end + draw.choice([0, 0, 2])
    return roots


def leave_unfinished(draw, roots):
    """Some calls on the way to the very last one never returned."""
    call, end = roots[-1], roots[-1].end + 1
    path = []
    while call:
        path.append(call)
        call = call.children[-1] if call.children else None
    for level, call in enumerate(path[: draw.randrange(len(path)) + 1]):
        call.unfinished = True
        call.end = end + len(path) - level  # of two of them the outer one is seen to be open longer


def walk(call, before):
    if before:
        yield call
    for child in call.children:
        yield from walk(child, before)
    if not before:
        yield call


def order_calls(draw, roots, order):
    if order == "parents":
        calls = [call for root in roots for call in walk(root, True)]
        return sorted(calls, key=lambda call: (call.start, -call.duration))
    if order == "start-only":
        calls = [call for root in roots for call in walk(root, False)]
        return sorted(calls, key=lambda call: call.start)
    calls = [call for root in roots for call in walk(root, False)]
    finished = [call for call in calls if not call.unfinished]
    unfinished = [call for call in calls if call.unfinished]
    draw.shuffle(unfinished)
    return finished + unfinished


def add_up(threads):
    sums = {}
    for tid, roots in enumerate(threads):
        stack = [(root, frozenset()) for root in roots]
        while stack:
            call, above = stack.pop()
            row = sums.setdefault(call.function, {"calls": 0, "self_ns": 0, "total_ns": 0, "all": [], "ended": [], "tids": set()})
            row["calls"] += 1
            row["self_ns"] += call.duration - sum(child.duration for child in call.children)
            row["total_ns"] += call.duration if call.function not in above else 0
            row["all"].append(call.duration)
            if not call.unfinished:
                row["ended"].append(call.duration)
                row["min_ns"] = min(row.get("min_ns", call.duration), call.duration)
            row["max_ns"] = max(row.get("max_ns", 0), call.duration)
            row["tids"].add(tid)
            stack += [(child, above | {call.function}) for child in call.children]
    return sums


def name_category(function):
    return f"C{function % 3}"


def add_up_paths(threads):
    """The call tree: sums by path. A call inside another one of its function has that call's path."""
    sums = {}
    for roots in threads:
        stack = [(root, (), {}) for root in roots]
        while stack:
            call, above, paths = stack.pop()
            path = paths.get(call.function, above + (f"f{call.function}",))
            row = sums.setdefault(path, {"calls": 0, "self_ns": 0, "total_ns": 0})
            row["calls"] += 1
            row["self_ns"] += call.duration - sum(child.duration for child in call.children)
            row["total_ns"] += call.duration if call.function not in paths else 0
            stack += [(child, path, {**paths, call.function: path}) for child in call.children]
    return sums


def add_up_groups(threads, name_group):
    sums = {}
    for tid, roots in enumerate(threads):
        stack = [(root, frozenset()) for root in roots]
        while stack:
            call, above = stack.pop()
            group = name_group(tid, call)
            row = sums.setdefault(group, {"calls": 0, "self_ns": 0, "total_ns": 0})
            row["calls"] += 1
            row["total_ns"] += call.duration if group not in above else 0
            row["self_ns"] += call.duration - sum(child.duration for child in call.children)
            stack += [(child, above | {group}) for child in call.children]
    return sums


def read_paths(rows):
    paths = {None: ()}
    for row in rows:
        paths[row["id"]] = paths[row["parent"]] + (row["function"],)
    return {paths[row["id"]]: row for row in rows}


def merge_below(sums, function):
    """What --from shows: the parts of all paths from a function on."""
    merged = {}
    for path, row in sums.items():
        if function in path:
            below = merged.setdefault(path[path.index(function) :], dict.fromkeys(row, 0))
            for key in row:
                below[key] += row[key]
    return merged


def merge_callers(sums, function):
    """What --callers shows without a limit of its depth: the paths to a function, upside down."""
    merged = {}
    for path, row in sums.items():
        if path[-1] != function:
            continue
        callers = path[::-1] if len(path) > 1 else path + ("(no traced caller)",)
        for length in range(1, len(callers) + 1):
            above = merged.setdefault(callers[:length], dict.fromkeys(row, 0))
            for key in row:
                above[key] += row[key]
    return merged


def run_report(dftrace, *arguments):
    output = subprocess.run([dftrace, "report", "--json", *arguments], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(output)


def compare(where, found, expected):
    assert found.keys() == expected.keys(), f"{where}: got {sorted(found)}, expected {sorted(expected)}"
    for name, row in expected.items():
        for key in row:
            assert found[name][key] == row[key], f"{where}: {name} {key}: got {found[name][key]}, expected {row[key]}"


def compare_views(dftrace, path, threads, where):
    sums = add_up_paths(threads)
    compare(where + " --tree", read_paths(run_report(dftrace, "--tree", path)["tree"]), sums)
    function = f"f{threads[0][0].function}"
    found = run_report(dftrace, "--from", function, path)["tree"]
    compare(where + " --from", read_paths(found), merge_below(sums, function))
    found = run_report(dftrace, "--callers", function, "--depth", "99", path)["tree"]
    compare(where + " --callers", read_paths(found), merge_callers(sums, function))
    for by, name_group in (
        ("category", lambda tid, call: name_category(call.function)),
        ("thread", lambda tid, call: f"tid {tid}, pid 7"),
    ):
        rows = {row[by]: row for row in run_report(dftrace, "--by", by, path)["groups"]}
        compare(f"{where} --by {by}", rows, add_up_groups(threads, name_group))


def format_microseconds(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


def write_trace(draw, path, threads, order):
    queues = [(tid, order_calls(draw, roots, order)) for tid, roots in enumerate(threads)]
    lines = []
    while queues:  # threads take turns in runs, as in a real trace
        tid, calls = queue = draw.choice(queues)
        taken = calls[: draw.randrange(1, 30)]
        del calls[: len(taken)]
        if not calls:
            queues.remove(queue)
        for call in taken:
            unfinished = ',"unfinished":true' if call.unfinished else ""
            lines.append(
                f'{{"name":"f{call.function}","cat":"{name_category(call.function)}","ph":"X","pid":7,"tid":{tid},'
                f'"ts":{format_microseconds(call.start)},"dur":{format_microseconds(call.duration)},'
                f'"args":{{"file":"a.c","line":{call.function + 1}{unfinished}}}}}'
            )
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + "\n,\n".join(lines) + "\n]\n")


def main():
    dftrace, directory, seed, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    os.makedirs(directory, exist_ok=True)
    for number in range(rounds):
        draw = random.Random(seed + number)
        order = draw.choice(["children", "parents", "start-only"])
        # Between which calls a call without any duration lies is not known from its times.
        least = draw.randrange(2)
        threads = [draw_thread(draw, draw.choice([1, 3, 10]), least) for _ in range(draw.randrange(1, 4))]
        # A sort by start alone leaves open which of two calls of equal start is the outer one only
        # when their lengths are equal too, and these trees have no such pair.
        if draw.random() < 0.5:
            for roots in threads:
                leave_unfinished(draw, roots)
        path = os.path.join(directory, "trace.pfw")
        write_trace(draw, path, threads, order)
        found = run_report(dftrace, path)
        expected = add_up(threads)
        rows = {int(row["function"][1:]): row for row in found["functions"]}
        where = f"seed {seed + number}, order {order}, trace in {path}"
        assert rows.keys() == expected.keys(), where
        assert found["disordered"] == 0, where
        for function, row in expected.items():
            meant = row["ended"] or row["all"]
            row["mean_ns"] = (2 * sum(meant) + len(meant)) // (2 * len(meant))
            row["threads"] = len(row["tids"])
            row.setdefault("min_ns", None)  # no call of it has ended
            for key in ("calls", "threads", "self_ns", "total_ns", "mean_ns", "min_ns", "max_ns"):
                got = rows[function][key]
                assert got == row[key], f"{where}: f{function} {key}: got {got}, expected {row[key]}"
        if least > 0:
            compare_views(dftrace, path, threads, where)
    print(f"{rounds} traces agree")


if __name__ == "__main__":
    main()
