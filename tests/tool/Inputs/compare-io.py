#!/usr/bin/env python3
"""Compares dftrace report --io, as JSON and as text, with what the events of JSON traces and DFTracer's lines add up to, worked out here in
another way: compare-io.py DFTRACE [--rounded] TRACE... With --rounded, times are whole microseconds: which of two functions has a
call at its very end is not compared."""

import collections
import gzip
import json
import subprocess
import sys
from decimal import ROUND_HALF_UP, Decimal

READS = {"read", "pread", "fread", "readv", "preadv", "fgets", "getline", "getdelim", "recv", "recvfrom", "recvmsg", "splice", "tee",
         "copy_file_range"}
WRITES = {"write", "pwrite", "fwrite", "writev", "pwritev", "send", "sendto", "sendmsg", "sendfile", "printf", "fprintf", "vprintf",
          "vfprintf"}
TEXTS = {"fputs", "puts"}
CHARACTERS = {"fgetc": "read", "getc": "read", "getchar": "read", "fputc": "write", "putc": "write", "putchar": "write"}
SCANS = {"scanf", "fscanf", "vfscanf"}
OPENS = {"open", "openat", "creat", "fopen", "freopen"}
SYNCS = {"fsync", "fdatasync", "sync_file_range", "syncfs", "sync", "msync"}
PROCESSES = {"fork", "execve", "posix_spawn", "posix_spawnp", "system", "wait", "waitpid", "wait3", "wait4", "waitid", "pclose", "sysconf",
             "vfork", "munmap", "madvise", "mprotect", "mlock", "munlock", "mlockall", "munlockall"}
LIMITS = ((1 << 10, "0-1K"), (4 << 10, "1-4K"), (64 << 10, "4-64K"), (1 << 20, "64K-1M"), (1 << 62, ">1M"))


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        for line in file:
            line = line.strip().rstrip(",")
            if line.startswith("{"):
                yield json.loads(line, parse_float=Decimal)


def ns(value):
    return int(Decimal(value) * 1000)


def is_io(event):
    return event.get("cat") in ("POSIX", "STDIO") and event["name"] not in PROCESSES


def what(event):
    """Kind and bytes of a call."""
    name, args = event["name"], event.get("args", {})
    ret = int(args.get("ret", 0), 0) if isinstance(args.get("ret"), str) else int(args.get("ret", 0))
    if name in READS:
        return "read", max(ret, 0)
    if name in WRITES:
        return "write", max(ret, 0)
    if name in TEXTS:
        return "write", int(args.get("size", 0)) if ret >= 0 else 0
    if name in CHARACTERS:
        return CHARACTERS[name], int("ret" in args and ret >= 0)
    if name in SCANS:
        return "read", 0
    assert name not in ("getw", "putw"), name
    return "open" if name in OPENS else "sync" if name in SYNCS else "other", 0


def union(ranges):
    total, end = 0, None
    for first, last in sorted(ranges):
        if end is None or first > end:
            total, end = total + last - first, last
        elif last > end:
            total, end = total + last - end, last
    return total


class Sums:
    def __init__(self):
        self.values = collections.Counter({key: 0 for key in ("calls", "reads", "writes", "bytes_read", "bytes_written", "data_ns",
                                                              "metadata_calls", "metadata_ns")})

    def add(self, kind, size, time):
        self.values["calls"] += 1
        if kind in ("read", "write"):
            self.values[kind + "s"] += 1
            self.values["bytes_read" if kind == "read" else "bytes_written"] += size
            self.values["data_ns"] += time
        else:
            self.values["metadata_calls"] += 1
            self.values["metadata_ns"] += time


class File(Sums):
    def __init__(self):
        super().__init__()
        self.busy, self.sizes = [], collections.Counter({name: 0 for _, name in LIMITS})
        self.more = collections.Counter({key: 0 for key in ("followers", "sequential", "again_bytes", "opens", "syncs", "sync_ns")})
        self.users = set()


rounded = "--rounded" in sys.argv
traces = [word for word in sys.argv[2:] if word != "--rounded"]
files, processes, functions = collections.defaultdict(File), collections.defaultdict(Sums), collections.defaultdict(collections.Counter)
ranks, calls_of = {}, collections.Counter()
for number, path in enumerate(traces):
    names, offset, threads, pauses, uses = {}, 0, collections.defaultdict(list), collections.defaultdict(list), {}
    for index, event in enumerate(load(path)):
        args = event.get("args", {})
        if event["name"] == "FH" and event["ph"] == "M":
            names[args["value"]] = args["name"]
        if event.get("cat") in ("dftrace", "dftracer") and event["name"] == "start":
            offset = int(args.get("realtime_offset_ns", 0))
            if "rank" in args:
                ranks[(path, event["pid"])] = int(args["rank"])
                processes[(path, event["pid"])]
        if event["ph"] != "X" or "ts" not in event:
            continue
        start = ns(event["ts"])
        end = start + ns(event.get("dur", 0))
        if event.get("cat") in ("dftrace", "dftracer"):
            pauses[(event["pid"], event["tid"])].append((start, end))
            continue
        io = None
        if is_io(event):
            kind, size = what(event)
            io = args.get("file") or names.get(args.get("fhash"), args.get("fhash")) or "(no file)"
            file = files[io]
            for sums in (file, processes[(path, event["pid"])]):
                sums.add(kind, size, end - start)
            file.users.add((number, event["pid"]))
            use = uses.setdefault((event["pid"], io), {"last": None, "position": 0, "seen": []})
            failed = str(args.get("ret", 0)).startswith("-") or "errno" in args or "unfinished" in args
            if kind in ("read", "write"):
                file.busy.append((start + offset, end + offset))
            if size > 0:
                begin = int(args["offset"]) if int(args.get("offset", -1)) >= 0 else use["position"]
                file.sizes[next(name for limit, name in LIMITS if size <= limit)] += 1
                file.more["followers"] += use["last"] is not None
                file.more["sequential"] += use["last"] == begin
                use["last"] = begin + size
                if int(args.get("offset", -1)) < 0:
                    use["position"] = begin + size
                if kind == "read":
                    before = union(use["seen"])
                    use["seen"].append((begin, begin + size))
                    file.more["again_bytes"] += size - (union(use["seen"]) - before)
            if kind == "open" and not failed:
                file.more["opens"] += 1
                use["position"] = 0
            if kind == "sync":
                file.more["syncs"] += 1
                file.more["sync_ns"] += end - start
            if event["name"] == "lseek" and not failed:
                use["position"] = int(args["ret"])
            if event["name"] == "rewind":
                use["position"] = 0
            if event["name"] == "fseek" and not failed and int(args["whence"]) < 2:
                use["position"] = int(args["offset"]) + (use["position"] if int(args["whence"]) == 1 else 0)
        place = (args.get("file", ""), args["line"]) if "line" in args else (event.get("file", ""), event.get("line", 0))
        threads[(event["pid"], event["tid"])].append((start, -end, -index, io, (event["name"], event.get("cat", ""), *place)))
    for key, calls in threads.items():
        stack = []
        for start, end, _, io, name in sorted(calls):
            while stack and (start > -stack[-1][0] or -end > -stack[-1][0] or (start == -stack[-1][0] and end != -start)):
                stack.pop()
            if io:
                paused = sum(last - first for first, last in pauses[key] if start <= first and last <= -end)
                function = next((caller for _, other, caller in reversed(stack) if not other), None)
                functions[function][io] += 0 if stack and stack[-1][1] else -end - start - paused
                calls_of[function] += 1
            stack.append((end, io, name))

report = json.loads(subprocess.run([sys.argv[1], "report", "--io", "--json", *traces], check=True, stdout=subprocess.PIPE).stdout)


def time_text(ns):
    """Three significant digits."""
    if ns < 1000:
        return f"{ns}ns"
    for unit, size in (("µs", 1000), ("ms", 1000000), ("s", 1000000000)):
        for step in (Decimal("0.01"), Decimal("0.1"), Decimal(1)):
            value = (Decimal(ns) / size).quantize(step, ROUND_HALF_UP)
            if value < 1000 * step or (unit == "s" and step == 1):
                return f"{value}{unit}"
    raise AssertionError(ns)


def bytes_text(size):
    units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
    while size >= 999.5:
        size, units = size / 1024, units[1:]
    decimals = 0 if units[0] == "B" or size >= 99.95 else 1 if size >= 9.995 else 2
    return f"{size:.{decimals}f}{units[0]}"


def share_text(part, whole, digits=0):
    if whole <= 0:
        return "-"
    return f"{(Decimal(part) * 100 / whole).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)}%"


def table(lines, last):
    """The rows of the table whose last title is this one, as lists of words."""
    first = next(number for number, line in enumerate(lines) if line.endswith("  " + last)) + 1
    end = next((number for number in range(first, len(lines)) if not lines[number]), len(lines))
    return [line.split() for line in lines[first:end]]


def same_rows(what_it_is, found, expected):
    same(what_it_is, sorted(found), sorted(" ".join(map(str, row)).split() for row in expected))


def check_text(report, lines):
    rows = []
    for row in report["files"]:
        file = files[row["file"]]
        values = file.values
        busy = row["busy_ns"] if row.get("estimated") else union(file.busy)
        bandwidth = (values["bytes_read"] + values["bytes_written"]) * 1e9 / busy if busy else 0
        assert abs(row["bytes_per_second"] - bandwidth) <= bandwidth * 1e-5, (row["file"], row["bytes_per_second"], bandwidth)
        rate = ("~" if row.get("estimated") else "") + bytes_text(bandwidth) + "/s" if bandwidth else "-"
        count = max(file.sizes.values())
        name = next(name for _, name in LIMITS if file.sizes[name] == count)
        sizes = f"{name} {share_text(count, sum(file.sizes.values()))}" if count else "-"
        rows.append([time_text(values["data_ns"] + values["metadata_ns"]), values["calls"], bytes_text(values["bytes_read"]),
                     bytes_text(values["bytes_written"]), time_text(busy), rate, sizes,
                     share_text(file.more["sequential"], file.more["followers"]), time_text(values["metadata_ns"]), row["file"]])
    same_rows("table of files", table(lines, "FILE"), rows)
    rows = []
    for key, process in processes.items():
        values = process.values
        rows.append([ranks.get(key, "-"), time_text(values["data_ns"] + values["metadata_ns"]), values["calls"], bytes_text(values["bytes_read"]),
                     bytes_text(values["bytes_written"]), time_text(values["metadata_ns"]), key[1]])
    same_rows("table of processes", table(lines, "PROCESS"), rows)
    rows = [[time_text(row["io_ns"]), row["calls"], share_text(row["most_ns"], row["io_ns"], 1), row["function"] or "(in no function)",
             row["most_on"]] for row in report["functions"]]
    same_rows("table of functions", table(lines, "FUNCTION, FILE"), rows)


def same(what_it_is, found, expected):
    assert found == expected, f"{what_it_is}: report {found}, expected {expected}"


same("files", sorted(row["file"] for row in report["files"]), sorted(files))
for row in report["files"]:
    file = files[row["file"]]
    for key, value in {**file.values, **file.more, "processes": len(file.users)}.items():
        same((row["file"], key), row[key], value)
    same((row["file"], "sizes"), row["sizes"], dict(file.sizes))
    if not row.get("estimated"):
        same((row["file"], "busy_ns"), row["busy_ns"], union(file.busy))
same("processes", sorted((row["trace"], row["pid"]) for row in report["io_processes"]), sorted(processes))
for row in report["io_processes"]:
    same((row["pid"], "rank"), row.get("rank"), ranks.get((row["trace"], row["pid"])))
    for key, value in processes[(row["trace"], row["pid"])].values.items():
        same((row["pid"], key), row[key], value)
rows = {(row["function"], row["category"], row["file"], row["line"]) if row["function"] is not None else None: row for row in report["functions"]}
same("functions", sorted(map(str, rows)), sorted(map(str, functions)))
for function, row in rows.items():
    if rounded:
        continue
    same((function, "calls"), row["calls"], calls_of[function])
    same((function, "io_ns"), row["io_ns"], sum(functions[function].values()))
    same((function, "most_ns"), row["most_ns"], max(functions[function].values()))
    same((function, row["most_on"]), functions[function][row["most_on"]], row["most_ns"])
same("order", [row["io_ns"] for row in report["functions"]], sorted((row["io_ns"] for row in report["functions"]), reverse=True))
same("order of files", [row["data_ns"] + row["metadata_ns"] for row in report["files"]],
     sorted((row["data_ns"] + row["metadata_ns"] for row in report["files"]), reverse=True))
known = {"file", "sizes", "busy_ns", "bytes_per_second", "processes", "estimated", *File().values, *File().more}
assert all(set(row) <= known for row in report["files"]), "a column that is not compared here"
text = subprocess.run([sys.argv[1], "report", "--io", "--top", "0", *traces], check=True, stdout=subprocess.PIPE).stdout
check_text(report, text.decode().split("\n"))
assert report["files"] and report["functions"]
print("same:", len(files), "files,", len(functions), "functions,", len(processes), "processes")
