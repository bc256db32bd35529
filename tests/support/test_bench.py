"""Checks that bench/run --quick measures every row or says why not. Does not check the figures.

The one argument is the build directory.
"""

import json
import os
import re
import subprocess
import sys

# Rows that need only what a build needs. Peers may be missing, but then must be named.
OURS = {
    "plain_ns": ["plain"],
    "added_ns": ["limit", "shared", "static", "off", "off_static", "unlinked", "fallback", "fallback_not",
                 "raw_samples", "samples", "cyg", "gprof"],
    "against_limit": ["shared", "static"],
    "against_raw_samples": ["samples"],
    "sustained_cpu_ns": ["limit", "shared", "static", "fallback", "cyg", "gprof"],
    "sustained_wall_ns": ["limit", "shared", "static", "fallback", "cyg", "gprof"],
    "sustained_cpu_against_limit": ["shared", "static", "fallback"],
    "memory_off_kib": ["off", "off_static", "unlinked"],
    "trace_wall_s": ["dftrace"],
    "trace_cpu_s": ["dftrace"],
    "bytes": ["dftrace"],
    "memory_traced_kib": ["dftrace"],
    "lost": ["dftrace"],
}
PEERS = {
    "added_ns": {"uftrace": "uftrace (gcc -pg)", "xray_fdr": "XRay FDR", "xray_basic": "XRay basic",
                 "shared_clang": "dftrace, libdftrace.so, Clang"},
    "sustained_wall_ns": {"uftrace": "uftrace (gcc -pg)", "xray_fdr": "XRay FDR", "xray_basic": "XRay basic",
                          "shared_clang": "dftrace, libdftrace.so, Clang"},
    "trace_wall_s": {"uftrace": "uftrace record, dump --chrome", "xray_fdr": "XRay FDR, convert to trace_event",
                     "dftrace_run": "dftrace run, writer beside the program"},
}
TWO_COLUMNS = {"io_ns": ["bare", "excluded", "traced"], "io_added_ns": ["excluded", "traced"]}
ONE_COLUMN = {
    "budget_cpu_s": ["plain", "full", "budget_3", "budget_10"],
    "budget_ratio": ["full", "budget_3", "budget_10"],
    "budget_wrong": ["full", "budget_3", "budget_10"],
    "thread_us": ["shared", "run"],
    "thread_missing": ["shared", "run"],
    "event_ns": ["call", "scope", "instant", "counter", "scope_values", "begin"],
    "event_ratio": ["scope", "instant", "counter", "scope_values", "begin"],
    "event_off_ns": ["scope", "instant", "counter", "scope_values"],
    "wait_self": ["shared", "wrong"],
    "wait_s": ["shared"],
    "wait_leaf_us": ["plain", "shared", "added"],
    "wait_quiet_leaf_us": ["plain", "shared", "added"],
    "format_cpu_ns": ["json", "dftracer", "perfetto"],
    "format_against_json": ["perfetto"],
    "format_mixed_bytes": ["json", "dftracer", "perfetto"],
    "dropped_cpu_ns": ["recorded", "dropped"],
}
TARGETS = {"against_limit": "<= 1.25", "against_raw_samples": "<= 1.3", "memory_off_kib": "<= 100", "bytes": "<= 9", "lost": "<= 0"}


def check(result):
    rows = {(row["section"], row["row"]): row for row in result["rows"]}
    for section, keys in OURS.items():
        for key in keys:
            row = rows.get((section, key))
            if row is None:
                yield f"no row {section}/{key}"
                continue
            if len(row["values"]) != 4 or any(value is None for value in row["values"].values()):
                yield f"{section}/{key}: expected four figures, found {row['values']}"
            if section in TARGETS and row["target"] != TARGETS[section]:
                yield f"{section}/{key}: expected the target {TARGETS[section]}, found {row['target']}"
    for section, peers in PEERS.items():
        for key, title in peers.items():
            if (section, key) not in rows and not result["left_out"].get(title):
                yield f"{section}/{key} is neither in the table nor said to be left out"
    for section, keys in TWO_COLUMNS.items():
        for key in keys:
            values = list(rows.get((section, key), {}).get("values", {}).values())
            if len(values) != 2 or None in values:
                yield f"{section}/{key}: expected two figures, found {values}"
    for section, keys in ONE_COLUMN.items():
        for key in keys:
            values = list(rows.get((section, key), {}).get("values", {}).values())
            if len(values) != 1 or values[0] is None:
                yield f"{section}/{key}: expected one figure, found {values}"
            elif section in ("budget_wrong", "thread_missing") and values[0] != 0:
                yield f"{section}/{key}: {values[0]} calls too many or too few"
    python = {row: values for (section, row), values in rows.items() if section == "python_added_ns"}
    for key in ("unmatched", "traced", "cprofile", "settrace"):
        if not any(row.endswith(" " + key) for row in python) and "functions of Python" not in result["left_out"]:
            yield f"python_added_ns/{key} is neither in the table nor said to be left out"
    lost = rows.get(("lost", "dftrace"), {}).get("values", {})
    if any(lost.values()):
        yield f"calls are missing from the traces: {lost}"
    wrong = [name for name, row in rows.items() if not re.fullmatch(r"([<>]= [\d.]+)?", row["target"] or "")]
    if wrong:
        yield f"targets that are no bound: {wrong}"


def main():
    build = sys.argv[1]
    if not os.path.exists(os.path.join(build, "lib", "libdftrace.a")):
        print("skipped: this build has no runtime")
        return 77
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    done = subprocess.run([sys.executable, os.path.join(root, "bench", "run"), build, "--quick", "--json"], stdout=subprocess.PIPE,
                          timeout=270, check=False)
    if done.returncode != 0:
        print(f"bench/run ended with {done.returncode}")
        return 1
    faults = list(check(json.loads(done.stdout)))
    print("\n".join(faults) or "every row is there")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
