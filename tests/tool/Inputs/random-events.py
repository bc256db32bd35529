#!/usr/bin/env python3
"""Converts random traces with `dftrace convert` and checks that nothing is lost or changed.

    random-events.py DFTRACE DIRECTORY SEED ROUNDS

Each trace has what dftrace's own traces have: functions, regions and instants with values of every type and unusual names,
samples, calls without an event, counters, flows, metadata, tracks. It is written in the order and the spelling that dftrace
uses, so that a conversion to JSON gives the same lines.
"""

import json
import os
import random
import subprocess
import sys

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support")
NAMES = ["main", "solver::step<int>", 'say "hi"\\', "tab\tnewline\n\x01\x7f", "é😀", "a;b c", "x,y", "", "operator()", "\ufffd",
         "=cmd", "very long " * 30]
KEYS = ["n", "path", "key with \"quotes\"", "é", "a,b", "x" * 200]


def us(ns):
    return "%d.%03d" % (ns // 1000, ns % 1000)


def real(value):
    """The shortest form, as dftrace writes it."""
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def text(value):
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f").replace("\\n", "\\u000a").replace("\\t", "\\u0009")


def draw_value(draw, depth=0):
    kind = draw.randrange(10 if depth < 3 else 8)
    if kind == 0:
        return str(draw.choice([0, 1, -1, 2**63 - 1, -2**63, draw.randrange(-10**6, 10**6)]))
    if kind == 1:
        return real(draw.choice([0.1, -2.5, 1e-7, 3.141592653589793, draw.random()]))
    if kind == 2:
        return draw.choice(["true", "false", "null"])
    if kind == 3:
        return '"0x%x"' % draw.randrange(2**48)
    if kind == 4:
        return '"%d"' % draw.randrange(2**63, 2**64)
    if kind in (5, 6):
        return text(draw.choice(NAMES))
    if kind == 7:
        return draw.choice(['"NaN"', '"Infinity"'])
    if kind == 8:
        return "[" + ",".join(draw_value(draw, depth + 1) for _ in range(draw.randrange(1, 4))) + "]"
    return "{" + ",".join(text(key) + ":" + draw_value(draw, depth + 1)
                          for key in draw.sample(KEYS, draw.randrange(1, 4))) + "}"


def draw_values(draw):
    return [text(key) + ":" + draw_value(draw) for key in draw.sample(KEYS, draw.randrange(0, 4))]


class Trace:
    def __init__(self, draw, recursion):
        self.draw, self.recursion, self.lines, self.calls = draw, recursion, [], 0
        self.functions = [(draw.choice(NAMES[:7]) + str(i), "src/%s.c" % draw.choice("ab"), i + 1) for i in range(draw.randrange(2, 9))]
        self.regions = [("region %d" % i, "r.c", i + 50) for i in range(3)]

    def add(self, line):
        self.lines.append(line)

    def call(self, place, category, tid, start, end, values=(), more=(), fields=""):
        name, file, line = place
        args = ['"file":' + text(file), '"line":%d' % line, *more, *values]
        self.add('{"name":%s,"cat":%s,"ph":"X","pid":42,"args":{%s}%s,"tid":%d,"dur":%s,"ts":%s}' %
                 (text(name), text(category), ",".join(args), fields, tid, us(end - start), us(start)))
        self.calls += 1

    def sample(self, start, end):
        cpu, begin = self.draw.randrange(0, end - start + 1), self.draw.randrange(10**9)
        tenths = (cpu * 1000 + (end - start) // 2) // (end - start) if end > start else 0
        more = ['"cpu_us":' + us(cpu), '"cpu_pct":%d.%d' % (tenths // 10, tenths % 10), '"rss_kb":%d' % self.draw.randrange(1, 10**6),
                '"rss_delta_kb":%d' % self.draw.randrange(-5, 5), '"peak_rss_kb":%d' % self.draw.randrange(1, 10**6)]
        more += ['"%s":%d' % (key, self.draw.randrange(4)) for key in ("minflt", "majflt", "vcsw", "ivcsw")]
        if self.draw.random() < 0.3:
            more += ['"alloc_bytes":%d' % self.draw.randrange(1, 10**9), '"alloc_count":%d' % self.draw.randrange(1, 99)]
        return more, ',"tts":%s,"tdur":%s' % (us(begin), us(cpu))

    def instant(self, tid, ns):
        values = draw_values(self.draw)
        args = ',"args":{%s}' % ",".join(values) if values else ""
        self.add('{"name":%s,"cat":"APP","ph":"i","s":"t","pid":42,"tid":%d,"ts":%s%s}' %
                 (text(self.draw.choice(NAMES[:7])), tid, us(ns), args))

    def tree(self, tid, start, depth):
        """Calls and what lies in them, callees first. Returns the end."""
        draw = self.draw
        now, inside = start + draw.choice([1, 1, 2, 500]), 0
        for _ in range(draw.choice([0, 1, 1, 2, 4]) if depth > 0 else 0):
            kind = draw.random()
            if kind < 0.15:
                self.instant(tid, now)
            elif kind < 0.22:
                unit = draw.choice(["value", "bytes"])
                self.add('{"name":"count %s","cat":"APP","ph":"C","pid":42,"tid":%d,"ts":%s,"args":{"%s":%s}}' %
                         (unit, tid, us(now), unit, draw.choice(["-3", "0.5", "12345678901234", "2.25"])))
            elif kind < 0.3:
                phase = draw.choice("stf")
                self.add('{"name":"flow","cat":"flow","ph":"i","s":"t","pid":42,"tid":%d,"ts":%s,"args":{"phase":"%s"}}' %
                         (tid, us(now), {"s": "begin", "t": "step", "f": "end"}[phase]))
                self.add('{"name":"flow","cat":"flow","ph":"%s","bp":"e","id":"0x%x","pid":42,"tid":%d,"ts":%s}' %
                         (phase, draw.randrange(1, 2**64), tid, us(now)))
            else:
                begin, now = now, self.tree(tid, now, draw.randrange(depth))
                inside += now - begin
            now += draw.choice([1, 2, 900])
        end, more, fields, values = now, [], "", []
        if draw.random() < 0.3:
            place, category, values = draw.choice(self.regions), "APP", draw_values(draw)
        else:
            place, category = draw.choice(self.functions), "FUNC"
            if draw.random() < 0.2:
                more, fields = self.sample(start, end)
            if draw.random() < 0.1:
                more = more + ['"aggregated_us":' + us(draw.randrange(end - start - inside + 1))]
            if draw.random() < 0.2:
                inner = [text(key) + ":" + draw_value(draw, 3) for key in draw.sample(KEYS, 2)]
                values = ['"values":{%s}' % ",".join(inner + ['"return":1'])]
        self.call(place, category, tid, start, end, values, more, fields)
        return end

    def recurse(self, tid, start, depth):
        """A recursion that Perfetto's format has on several tracks, with other calls at its end. Returns the end."""
        inner = start + 2 * depth
        end = self.tree(tid, inner, 4)
        for level in range(depth, 0, -1):
            more, fields = self.sample(start + level, end + depth - level) if level % 250 == 0 else ([], "")
            self.call(self.functions[0], "FUNC", tid, start + level, end + depth - level, more=more, fields=fields)
        return end + depth

    def make(self):
        draw = self.draw
        self.add('{"name":"process_name","ph":"M","pid":42,"tid":42,"args":{"name":"app"}}')
        self.add('{"name":"start","cat":"dftrace","ph":"X","pid":42,"tid":42,"ts":1.000,"dur":0.000,"args":{"version":"@VERSION@",'
                 '"cmd":"./app -n","exe":"/opt/app","cwd":"/data","host":"node7","ppid":41,"date":"2023-11-14T22:13:20Z",'
                 '"realtime_offset_ns":1700000000123455789}}')
        for name, file, line in self.functions:
            self.add('{"name":"function","ph":"M","pid":42,"tid":42,"args":{"function":%s,"linkage_name":"_Z1f","file":%s,"line":%d,'
                     '"category":"FUNC","parameters":"a,b","rule":"fun:*","rule_line":3,"module":"/opt/app","build_id":"abcd"}}' %
                     (text(name), text(file), line))
        last = 2000
        for tid in [42, 43, 1073741824 + 21, 1073741824 + 22, 1073741824 + 23]:
            now = 2000 + draw.randrange(100)
            if self.recursion and tid != 42:
                now = self.recurse(tid, now, self.recursion) + 1
            for _ in range(draw.randrange(1, 6)):
                now = self.tree(tid, now, draw.randrange(1, 6)) + draw.choice([1, 50])
            if draw.random() < 0.4:
                self.call(draw.choice(self.functions), "FUNC", tid, 1500, now + 10, more=['"unfinished":true'])
            last = max(last, now + 20)
        self.add('{"name":"cpu","cat":"dftrace","ph":"C","pid":42,"tid":42,"ts":1.000,"args":{"user_pct":12.0,"system_pct":0.5}}')
        self.add('{"name":"memory","cat":"dftrace","ph":"C","pid":42,"tid":42,"ts":1.000,"args":{"rss_kb":100,"peak_rss_kb":120}}')
        name, file, line = self.functions[0]
        self.add('{"name":%s,"cat":"FUNC","ph":"C","pid":42,"tid":42,"file":%s,"line":%d,"ts":2.000,"args":{"count":4,'
                 '"total_us":0.900,"min_us":0.100,"max_us":0.500,"self_us":0.800}}' % (text("calls of " + name), text(file), line))
        for tid, thread in [(42, "app"), (43, 'loader "1"')]:
            self.add('{"name":"thread_name","ph":"M","pid":42,"tid":%d,"args":{"name":%s}}' % (tid, text(thread)))
        self.add('{"name":"thread_name","ph":"M","pid":42,"tid":1073741845,"args":{"name":"GPU 0"}}')
        self.add('{"name":"thread_name","ph":"M","pid":42,"tid":1073741846,"args":{"name":"GPU 0/copy","parent":1073741845}}')
        self.add('{"name":"thread_name","ph":"M","pid":42,"tid":1073741847,"args":{"name":"GPU 0/deeper calls","parent":1073741845}}')
        self.add('{"name":"metadata","cat":"dftrace","ph":"M","pid":42,"tid":42,"args":{"dataset":%s}}' % draw_value(draw))
        self.add('{"name":"end","cat":"dftrace","ph":"X","pid":42,"tid":42,"ts":%s,"dur":0.000,"args":{"num_events":%d,"aggregated":4,'
                 '"dropped":0}}' % (us(last), self.calls))
        return "[\n" + "\n,\n".join(self.lines) + "\n]"


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stderr.decode()}")
    return done.stdout


def lines_of(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return sorted(line for line in file.read().split("\n") if line not in (",", "[", "]", ""))


def expect_same(left, right):
    for a, b in zip(lines_of(left), lines_of(right)):
        if a != b:
            sys.exit(f"{left} and {right} differ:\n{a}\n{b}")
    if len(lines_of(left)) != len(lines_of(right)):
        sys.exit(f"{left} and {right} differ in the number of events")


def report(dftrace, path):
    summary = json.loads(run(dftrace, "report", "--json", path))
    del summary["traces"]
    summary["functions"].sort(key=lambda row: (row["function"], row["file"], row["line"]))
    return summary


def check_folded(path, functions):
    """The self times of the last frames add up to those of the report."""
    sums = {}
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            stack, time = line.rstrip("\n").rsplit(" ", 1)
            name = stack.rsplit(";", 1)[-1]
            sums[name] = sums.get(name, 0) + round(float(time) * 1000)
    expected = {}
    for row in functions:
        name = "".join(":" if c == ";" else " " if c < " " or c == "\x7f" else c for c in row["function"])
        expected[name] = expected.get(name, 0) + max(row["self_ns"], 0)
    for name, self_ns in expected.items():
        if sums.get(name, 0) != self_ns:
            sys.exit(f"{path}: {name!r} has {sums.get(name, 0)} ns, the report {self_ns} ns")


def main():
    dftrace, directory, seed, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    version = run(dftrace, "--version").decode().split()[1]
    os.makedirs(directory, exist_ok=True)
    for number in range(seed, seed + rounds):
        at = os.path.join(directory, "trace")
        with open(at + ".pfw", "w", encoding="utf-8", newline="\n") as file:
            file.write(Trace(random.Random(number), 1203 if number == seed else 0).make().replace("@VERSION@", version))
        for source, target in [(".pfw", ".again.json"), (".pfw", ".pftrace"), (".pfw", ".json.gz"), (".pftrace", ".back.json"),
                               (".pftrace", ".again.pftrace"), (".again.pftrace", ".back2.json"), (".pfw", ".pftrace.gz"),
                               (".pftrace.gz", ".back3.json"), (".pfw", ".dftracer.pfw"), (".dftracer.pfw", ".again.dftracer.pfw"),
                               (".pfw", ".folded"), (".pftrace", ".back.folded"), (".pfw", ".speedscope.json"), (".pfw", ".csv"),
                               (".pfw", ".otlp.json"), (".pftrace", ".back.otlp.json")]:
            run(dftrace, "convert", at + source, at + target)
        for other in (".again.json", ".back.json", ".back2.json", ".back3.json"):
            expect_same(at + ".pfw", at + other)
        expect_same(at + ".folded", at + ".back.folded")
        expected = report(dftrace, at + ".pfw")
        for other in (".pftrace", ".json.gz", ".pftrace.gz"):
            found = report(dftrace, at + other)
            found["wall_ns"] = expected["wall_ns"]  # Perfetto's format has times where JSON has none
            if found != expected:
                sys.exit(f"{at + other}: the report differs\n{expected}\n{found}")
        lined, again = report(dftrace, at + ".dftracer.pfw"), report(dftrace, at + ".again.dftracer.pfw")
        for key in ("calls", "unfinished", "processes", "threads", "instants", "counters", "flows", "tracks", "aggregated"):
            if lined.get(key) != expected.get(key) or again.get(key) != expected.get(key):
                sys.exit(f"{at}.dftracer.pfw: {key} is {lined.get(key)}, expected {expected.get(key)}")
        check_folded(at + ".folded", expected["functions"])
        run(sys.executable, os.path.join(SUPPORT, "check-converted"), "speedscope", at + ".speedscope.json", str(expected["calls"] - 4))
        run(sys.executable, os.path.join(SUPPORT, "check-converted"), "csv", at + ".csv", at + ".pfw")
        for path in (".otlp.json", ".back.otlp.json"):
            run(sys.executable, os.path.join(SUPPORT, "check-converted"), "otlp", at + path, str(expected["calls"] - 4))
    print(f"{rounds} traces are the same in every format")


main()
