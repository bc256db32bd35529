"""Checks that waiting for the writer is not part of any function's time.

A program makes calls without a pause, with a spool of 1 MiB, while each write of the trace takes 20 ms. If no function's time in
the report includes the waits, the sum of all self times is the CPU time of the thread, and the longest call of a short
function is no longer than the function itself has measured. (Both include the time that other processes took in the middle of
a call: a run of the same length without a trace shows how much that is.)

Also measures what a dropped call costs beside a recorded one: the same disk, and a program that drops calls instead of waiting.
"""

import glob
import json
import os

from parts import process, variants

LEAF_ROUNDS = 10


class Waits:
    """Ratios and nanoseconds by name."""

    def __init__(self, builder, scratch, calls):
        self.builder = builder
        self.scratch = scratch
        self.calls = calls
        self.self_to_cpu = self.waited_s = self.leaf_max_us = self.own_leaf_max_us = self.plain_leaf_max_us = None
        self.quiet_leaf_max_us = self.quiet_plain_leaf_max_us = None
        self.recorded_ns = self.dropped_ns = None

    def measure(self, progress):
        progress("waits for the writer")
        with process.Scratch(self.scratch) as directory:
            program, disk = self._build(directory)
            slow = {**variants.ON, "DFTRACER_SPOOL_MAX": "1M", "LD_PRELOAD": disk}
            cpu, wall, longest = self._run([program, str(self.calls)], directory, slow)
            _, _, plain_longest = self._run([program, str(self.calls // 100), str(wall)], directory, {})
            report, rows = self._report(directory)
            self._measure_quiet_rounds(program, directory, slow)
        self.self_to_cpu = sum(row["self_ns"] for row in rows.values()) / cpu
        self.waited_s = report.get("waited_ns", 0) / 1e9
        self.leaf_max_us = rows["leaf"]["max_ns"] / 1e3
        self.own_leaf_max_us = longest / 1e3
        self.plain_leaf_max_us = plain_longest / 1e3
        progress("dropped calls")
        self.recorded_ns = self._measure_calls({})
        self.dropped_ns = self._measure_calls({"DFTRACER_SPOOL_MAX": "1M", "DFTRACER_WHEN_FULL": "drop"})

    def _report(self, directory):
        """The report of the traces in the directory, which are removed, and its rows by function."""
        traces = glob.glob(os.path.join(directory, "*.pfw.gz"))
        tool = os.path.join(self.builder.build, "bin", "dftrace")
        report = json.loads(process.read_text(process.run([tool, "report", "--json", *traces], directory)))
        for trace in traces:
            os.unlink(trace)
        return report, {row["function"]: row for row in report["functions"]}

    def _measure_quiet_rounds(self, program, directory, slow):
        """The longest leaf of the quietest of several interleaved runs, traced and not traced: other processes disturb both."""
        traced, plain = [], []
        for _ in range(LEAF_ROUNDS):
            _, wall, _ = self._run([program, str(self.calls // LEAF_ROUNDS)], directory, slow)
            traced.append(self._report(directory)[1]["leaf"]["max_ns"])
            plain.append(tuple(self._run([program, str(self.calls // LEAF_ROUNDS), str(wall)], directory, {}))[2])
        self.quiet_leaf_max_us = min(traced) / 1e3
        self.quiet_plain_leaf_max_us = min(plain) / 1e3

    def _build(self, directory):
        source = os.path.join(self.builder.sources, "waits.c")
        program, disk = (os.path.join(directory, name) for name in ("waits", "disk.so"))
        compiler = [self.builder.compilers["gcc"], "-O2", source, "-o"]
        process.run([*compiler, program, *self.builder.plugin_flags("allow-waits.txt"),
                     "-Wl,--no-as-needed", *self.builder.runtime("-ldftrace")], directory)
        process.run([*compiler, disk, "-DSLOW_DISK", "-shared", "-fPIC"], directory)
        return program, disk

    def _measure_calls(self, environment):
        """CPU nanoseconds of the calling thread for each call; with a slow disk."""
        variant = next(variant for variant in variants.VARIANTS if variant.key == "shared")
        command = variants.make_command(variant, self.builder, "leaf", self.calls, 1)
        with process.Scratch(self.scratch) as directory:
            _, disk = self._build(directory)
            environment = {**variants.ON, **environment, "LD_PRELOAD": disk}
            _, cpu, _, _ = process.read_text(process.run(command, directory, environment)).split()[-4:]
        return float(cpu)

    def _run(self, command, directory, environment):
        printed = process.read_text(process.run(command, directory, environment))
        return (int(number) for number in printed.split())
