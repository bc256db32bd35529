"""Makes the table's sections from the measurements, and defines the targets."""

from parts import budget, events, formats, io, pipeline, python, sustained, threads, variants, waits
from parts.table import Section, Target

AGAINST_LIMIT = Target("<=", 1.25, ("leaf", "fib", "2 threads"))
AGAINST_UFTRACE = Target("<=", 0.27)
AGAINST_RAW_SAMPLES = Target("<=", 1.3)
OFF_NS = Target("<=", 0.5, ("leaf", "fib", "2 threads"))
FALLBACK_AGAINST_LIMIT = Target("<=", 1.6, ("leaf", "fib", "2 threads"))
FALLBACK_NOT_NS = Target("<=", 6, ("leaf", "fib", "2 threads"))
FASTER_THAN_UFTRACE = Target(">=", 5)
BYTES_A_CALL = 9
OFF_KIB = Target("<=", 100)
TRACED_KIB = Target("<=", (64 + 16) * 1024)  # the spool, and 16 MiB besides it
LOST = Target("<=", 0)
FULL_TRACE_COSTS = 1.3  # otherwise the budget would have nothing to do
BUDGET_SLACK = 1.5
THREAD_US = Target("<=", 15)
WAIT_ERROR = Target("<=", 0.05)
LEAF_ADDED_US = Target("<=", 50)
PERFETTO_BYTES = Target("<=", 4.5)
PERFETTO_AGAINST_JSON = Target("<=", 1)
EVENT_AGAINST_CALL = {"scope": Target("<=", 1.1), "instant": Target("<=", 1.0), "counter": Target("<=", 1.0),
                      "scope_values": Target("<=", 2.0)}
EVENT_OFF_NS = Target("<=", 0.5)
IO_EXCLUDED_NS = Target("<=", 10)
IO_TRACED_NS = Target("<=", 40)
PYTHON_AGAINST_CPROFILE = Target("<=", 0.4, ("leaf", "fib", "step"))

TRACED = ("shared", "static", "shared_clang")
TITLES = {variant.key: variant.title for variant in variants.VARIANTS}
COLUMNS = ("leaf", "fib", "2 threads", "mixed")


def divide(value, by):
    return None if value is None or by is None or by <= 0 else value / by


def make_overhead_sections(overhead):
    def added(key):
        return [overhead.added(key, workload) for workload in variants.WORKLOADS]

    def ratios(key, base):
        return [divide(value, by) for value, by in zip(added(key), added(base))]

    plain = Section("plain_ns", "CPU ns a call, not instrumented", COLUMNS)
    for key in ("plain", "plain_clang"):
        plain.add(key, TITLES[key], [overhead.ns.get((key, workload)) for workload in variants.WORKLOADS])
    cost = Section("added_ns", "CPU ns added to a call", COLUMNS)
    for variant in variants.VARIANTS:
        if variant.key not in ("plain", "plain_clang"):
            target = {"off": OFF_NS, "off_static": OFF_NS, "attach": OFF_NS, "unlinked": OFF_NS,
                      "fallback_not": FALLBACK_NOT_NS}.get(variant.key)
            cost.add(variant.key, variant.title, added(variant.key), target)
    limit = Section("against_limit", "ratio to the limit", COLUMNS)
    peers = Section("against_uftrace", "ratio to uftrace", COLUMNS)
    for key in TRACED:
        limit.add(key, TITLES[key], ratios(key, "limit"), AGAINST_LIMIT)
        peers.add(key, TITLES[key], ratios(key, "uftrace"), AGAINST_UFTRACE)
    limit.add("fallback", TITLES["fallback"], ratios("fallback", "limit"), FALLBACK_AGAINST_LIMIT)
    samples = Section("against_raw_samples", "ratio to the system calls alone", COLUMNS)
    samples.add("samples", TITLES["samples"], ratios("samples", "raw_samples"), AGAINST_RAW_SAMPLES)
    memory = Section("memory_off_kib", "peak KiB above plain, not traced", COLUMNS)
    for key in ("off", "off_static", "unlinked"):
        more = [overhead.peak_kib(key, workload) - overhead.peak_kib("plain", workload)
                for workload in variants.WORKLOADS]
        memory.add(key, TITLES[key], more, OFF_KIB, decimals=0)
    return [plain, cost, limit, peers, samples, memory]


def name_size(calls):
    return f"{calls // 1_000_000}M" if calls >= 1_000_000 else f"{calls // 1000}k"


def make_sustained_sections(measured):
    found = []
    size = name_size(measured.calls)
    for name, title, figures in (("cpu", "CPU ns of the thread", measured.cpu), ("wall", "ns on the wall", measured.wall)):
        cost = Section(f"sustained_{name}_ns", f"{title} added to a call, {size} without a pause", COLUMNS)
        ratio = Section(f"sustained_{name}_against_limit", f"the same, ratio to the limit ({name})", COLUMNS)
        for key in sustained.KEYS:
            if key in ("plain", "plain_clang"):
                continue
            added = [measured.added(figures, key, workload) for workload in variants.WORKLOADS]
            limit = [measured.added(figures, "limit", workload) for workload in variants.WORKLOADS]
            if any(value is not None for value in added):
                cost.add(key, TITLES[key], added)
            if key != "limit" and any(value is not None for value in added):
                ratio.add(key, TITLES[key], [divide(value, by) for value, by in zip(added, limit)])
        found += [cost, ratio]
    return found


def make_pipeline_sections(measured):
    cases = [(workload, calls) for workload in pipeline.WORKLOADS for calls in measured.sizes]
    columns = tuple(f"{workload} {name_size(calls)}" for workload, calls in cases)
    methods = [(method.key, method.title) for method in measured.methods]

    def collect(key, figure):
        found = [measured.figures.get((key, *case)) for case in cases]
        return [None if figures is None else figure(figures) for figures in found]

    def make_time_section(key, title, seconds):
        section = Section(key, title, columns)
        for method, name in methods:
            section.add(method, name, collect(method, seconds), decimals=3)
        return section

    def seconds_per_million(field):
        return lambda figures: getattr(figures, field) / figures.calls * 1e6

    wall, cpu = seconds_per_million("wall_s"), seconds_per_million("cpu_s")
    faster = Section("against_uftrace_trace", "times as fast as uftrace", columns)
    lost = Section("lost", "calls lost", columns)
    size = Section("bytes", "bytes a call", columns)
    memory = Section("memory_traced_kib", "peak KiB, spool included", columns)
    mixed = tuple(column for column in columns if column.startswith("mixed"))
    for key, name in methods:
        ours = key.startswith("dftrace")
        if ours:
            for what, seconds, target in (("wall", wall, FASTER_THAN_UFTRACE), ("cpu", cpu, None)):
                ratio = [divide(theirs, own)
                         for theirs, own in zip(collect("uftrace", seconds), collect(key, seconds))]
                faster.add(f"{key}_{what}", f"{name}, {what} time", ratio, target)
        size.add(key, name + (" (gzip)" if ours else ""), collect(key, lambda f: f.trace_bytes / f.calls),
                 Target("<=", BYTES_A_CALL, mixed) if ours else None, decimals=1)
        if not ours:
            size.add(key + "_record", name.split(",")[0] + " before conversion",
                     collect(key, lambda f: f.recorded_bytes / f.calls), decimals=1)
        memory.add(key, name, collect(key, lambda f: f.peak_kib), TRACED_KIB if key == "dftrace_64m" else None,
                   decimals=0)
        lost.add(key, name, collect(key, lambda f: max(0, f.calls - f.found)), LOST if ours else None, decimals=0)
    return [
        make_time_section("trace_wall_s", "launch to finished trace, s per 1M calls", wall),
        make_time_section("trace_cpu_s", "the same, CPU s per 1M calls", cpu),
        faster, size, memory, lost,
    ]


def make_budget_sections(measured):
    columns = ("hot " + name_size(measured.calls),)
    cpu = Section("budget_cpu_s", "CPU s of the whole process, one hot function", columns)
    ratio = Section("budget_ratio", "the same, ratio to plain", columns)
    wrong = Section("budget_wrong", "calls counted wrongly", columns)
    for run in budget.RUNS:
        cpu.add(run.key, run.title, [measured.cpu_s[run.key]], decimals=3)
        if run.key == "plain":
            continue
        target = (Target(">=", FULL_TRACE_COSTS) if run.budget is None
                  else Target("<=", 1 + BUDGET_SLACK * run.budget / 100))
        ratio.add(run.key, run.title, [divide(measured.cpu_s[run.key], measured.cpu_s["plain"])], target, decimals=3)
        wrong.add(run.key, run.title, [measured.wrong[run.key]], LOST, decimals=0)
    return [cpu, ratio, wrong]


def make_format_sections(measured):
    columns = (name_size(measured.calls),)
    cpu = Section("format_cpu_ns", "CPU ns of the writer a call", columns)
    ratio = Section("format_against_json", "the same, ratio to JSON", columns)
    made = Section("format_bytes", "bytes a call, made calls", columns)
    mixed = Section("format_mixed_bytes", "bytes a call, mixed", columns)
    for name in formats.FORMATS:
        cpu.add(name, name, [measured.cpu_ns[name]], decimals=1)
        made.add(name, name, [measured.made_bytes[name]])
        mixed.add(name, name, [measured.mixed_bytes[name]], PERFETTO_BYTES if name == "perfetto" else None)
    ratio.add("perfetto", "perfetto", [divide(measured.cpu_ns["perfetto"], measured.cpu_ns["json"])], PERFETTO_AGAINST_JSON)
    return [cpu, ratio, made, mixed]


def make_event_sections(measured):
    cost = Section("event_ns", "CPU ns of an event of the program", ("ns",))
    ratio = Section("event_ratio", "the same, ratio to a traced call", ("ratio",))
    off = Section("event_off_ns", "compiled in, not traced: CPU ns of an event", ("ns",))
    cost.add("call", "a traced call of a function", [measured.traced["call"]])
    for kind, title in events.KINDS:
        cost.add(kind, title, [measured.traced[kind]])
        ratio.add(kind, title, [divide(measured.traced[kind], measured.traced["call"])], EVENT_AGAINST_CALL.get(kind))
        if kind != "begin":  # its end always asks the runtime
            off.add(kind, title, [measured.off[kind]], EVENT_OFF_NS)
    return [cost, ratio, off]


def make_io_sections(measured):
    cost = Section("io_ns", "CPU ns of a pread of 4 KiB", io.COLUMNS)
    added = Section("io_added_ns", "the same, added to the bare call", io.COLUMNS)
    for key, title, _ in io.RUNS:
        cost.add(key, title, measured.ns[key], decimals=0)
    added.add("excluded", "the file is excluded", measured.added("excluded"), IO_EXCLUDED_NS, decimals=1)
    added.add("traced", "recorded, without two clock reads", measured.added("traced", 2 * measured.clock_ns), IO_TRACED_NS, decimals=1)
    added.add("strace", "strace -f", measured.added("strace"), decimals=0)
    return [cost, added]


def make_python_sections(measured):
    plain = Section("python_ns", "Python, not traced: CPU ns of a call", python.COLUMNS)
    added = Section("python_added_ns", "Python: CPU ns added to a call", python.COLUMNS)
    ratio = Section("python_against_cprofile", "the same, ratio to cProfile", python.COLUMNS)
    for version in measured.interpreters:
        plain.add(version, version, [measured.ns[version, "plain"][column] for column in python.COLUMNS], decimals=1)
        for key, title, *_ in python.RUNS[1:]:
            added.add(f"{version} {key}", f"{version} {title}", measured.added(version, key), decimals=1)
        shares = map(divide, measured.added(version, "traced"), measured.added(version, "cprofile"))
        ratio.add(version, version, list(shares), PYTHON_AGAINST_CPROFILE)
    return [plain, added, ratio]


def make_wait_sections(measured):
    columns = (name_size(measured.calls) + " calls",)
    ratio = Section("wait_self", "slow disk: self times, ratio to CPU time", columns)
    ratio.add("shared", "dftrace, libdftrace.so", [measured.self_to_cpu], decimals=3)
    wrong = abs(1 - measured.self_to_cpu)
    ratio.add("wrong", "difference from 1", [wrong], WAIT_ERROR, decimals=3)
    waited = Section("wait_s", "slow disk: s waited for the writer", columns)
    waited.add("shared", "dftrace, libdftrace.so", [measured.waited_s], decimals=2)
    longest = Section("wait_leaf_us", "slow disk: longest call of a leaf, µs", columns)
    longest.add("plain", "not traced, a run as long", [measured.plain_leaf_max_us], decimals=1)
    longest.add("own", "traced, as the leaf measures itself", [measured.own_leaf_max_us], decimals=1)
    longest.add("shared", "dftrace, libdftrace.so", [measured.leaf_max_us], decimals=1)
    longest.add("added", "added by tracing", [measured.leaf_max_us - measured.own_leaf_max_us], LEAF_ADDED_US, decimals=1)
    quiet = Section("wait_quiet_leaf_us", f"slow disk: the same, least of {waits.LEAF_ROUNDS} runs", columns)
    quiet.add("plain", "not traced, runs as long", [measured.quiet_plain_leaf_max_us], decimals=1)
    quiet.add("shared", "dftrace, libdftrace.so", [measured.quiet_leaf_max_us], decimals=1)
    quiet.add("added", "difference", [measured.quiet_leaf_max_us - measured.quiet_plain_leaf_max_us], LEAF_ADDED_US, decimals=1)
    each = Section("dropped_cpu_ns", "slow disk: CPU ns of a call", columns)
    each.add("recorded", "recorded", [measured.recorded_ns], decimals=1)
    each.add("dropped", "most are dropped", [measured.dropped_ns], decimals=1)
    return [ratio, waited, longest, quiet, each]


def make_thread_sections(measured):
    columns = (f"{measured.count} threads",)
    cost = Section("thread_us", "CPU µs added to a short-lived thread", columns)
    missing = Section("thread_missing", "calls of short-lived threads lost", columns)
    for run in threads.RUNS:
        if run.key == "plain":
            continue
        cost.add(run.key, run.title, [measured.added_us(run.key)], THREAD_US, decimals=1)
        missing.add(run.key, run.title, [measured.missing[run.key]], LOST, decimals=0)
    return [cost, missing]
