#!/usr/bin/env python3
"""Makes a trace with random calls, I/O calls among them: random-io.py SEED OUT.json OUT.pfw. Both have the same events: in
dftrace's form, parents after their children; and as DFTracer writes it, parents first, with hashes of names."""

import json
import random
import sys
import zlib

seed, ours, lines = int(sys.argv[1]), sys.argv[2], sys.argv[3]
rng = random.Random(seed)
FILES = [f"/data/{i}" for i in range(6)] + ["pipe:[7]", "/größe/ ä"]
events, clock = [], 0


def io_call(pid, tid, start, room):
    """One event that takes at most `room` ns."""
    name = rng.choice(["read", "write", "pread", "pwrite", "open", "close", "lseek", "fsync", "fread", "fgetc", "fputs", "fseek", "rewind",
                       "stat", "fork", "wait", "fprintf"])
    args = {"file": rng.choice(FILES)} if name not in ("fork", "wait") and rng.random() < 0.95 else {}
    size = rng.choice([1, 100, 1024, 1025, 4096, 5000, 65536, 70000, 1 << 20, (1 << 20) + 1])
    ret = rng.choice([size, size, size, size // 2, 0, -1])
    if name in ("read", "write", "fread", "pread", "pwrite", "fprintf"):
        args.update(size=size, ret=ret)
    if name in ("pread", "pwrite"):
        args["offset"] = rng.choice([0, 4096, 8192, 65536, rng.randrange(1 << 22)])
    if name == "fgetc":
        args["ret"] = rng.choice([65, -1])
    if name == "fputs":
        args.update(size=rng.randrange(100), ret=rng.choice([1, -1]))
    if name in ("open", "stat", "close", "fsync"):
        args["ret"] = rng.choice([3, 0, -1])
    if name == "lseek":
        args["ret"] = rng.choice([0, 4096, -1])
    if name == "fseek":
        args.update(offset=rng.choice([0, 100, 4096]), whence=rng.randrange(3), ret=rng.choice([0, 0, -1]))
    if args.get("ret") == -1 and name != "fgetc":
        args["errno"] = 5
    category = "STDIO" if name in ("fread", "fgetc", "fputs", "fseek", "rewind", "fprintf") else "POSIX"
    return {"name": name, "cat": category, "ph": "X", "pid": pid, "tid": tid, "args": args, "start": start, "end": start + rng.randrange(1, room)}


def calls(pid, tid, start, end, depth):
    """Calls between two moments, children before their parents."""
    at = start + rng.randrange(1, 50)
    while at + 200 < end:
        length = rng.randrange(100, max(101, (end - at) // (1 if rng.random() < 0.1 else 4) + 101))
        if at + length >= end:
            break
        if depth == 0 or rng.random() < 0.5:
            call = io_call(pid, tid, at, min(length, 2000))
            if call["end"] - at > 10 and rng.random() < 0.2:  # another one inside it, on another file
                inner = io_call(pid, tid, at + 1, call["end"] - at - 2)
                if inner["args"].get("file") != call["args"].get("file"):
                    events.append(inner)
            events.append(call)
        else:
            calls(pid, tid, at, at + length, depth - 1)
            name = rng.choice("fgh")
            events.append({"name": name, "cat": "FUNC", "ph": "X", "pid": pid, "tid": tid, "args": {"file": "a.c", "line": ord(name)}, "start": at,
                           "end": at + length})
        at = max(event["end"] for event in events if event["tid"] == tid) + rng.randrange(1, 60)


for pid in (10, 20):
    for tid in (pid, pid + 1, pid + 2):
        calls(pid, tid, rng.randrange(1000), 60000, 4)


def text(event, args):
    parts = {key: value for key, value in event.items() if key not in ("start", "end", "args")}
    body = json.dumps({**parts, "args": args}, ensure_ascii=False)[:-1]
    return f'{body}, "ts": {event["start"] / 1000:.3f}, "dur": {(event["end"] - event["start"]) / 1000:.3f}}}'


starts = [{"name": "start", "cat": "dftrace", "ph": "X", "pid": pid, "tid": pid, "start": 0, "end": 0} for pid in (10, 20)]
with open(ours, "w", encoding="utf-8") as out:
    body = [text(start, {"version": "0", "rank": start["pid"] // 10, "realtime_offset_ns": 10**18 + seed}) for start in starts]
    body += [text(event, event["args"]) for event in events]
    out.write("[\n" + ",\n".join(body) + "\n]\n")

with open(lines, "w", encoding="utf-8") as out:
    out.write("[\n")
    known = {}
    for number, event in enumerate(sorted(events, key=lambda event: (event["start"], -event["end"]))):
        args = dict(event["args"])
        if "line" not in args and "file" in args:
            name = args.pop("file")
            if name not in known:
                known[name] = format(zlib.crc32(f"{seed} {name}".encode()), "08x")
                out.write(json.dumps({"id": 0, "name": "FH", "cat": "dftracer", "pid": event["pid"], "tid": event["tid"], "ph": "M",
                                      "args": {"hhash": "1", "name": name, "value": known[name]}}, ensure_ascii=False) + "\n")
            args = {"hhash": "1", "fhash": known[name], **args}
        out.write(text({"id": number, **event}, args) + "\n")
    out.write("]\n")
