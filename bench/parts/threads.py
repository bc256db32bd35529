"""Measures how much more a thread that makes a few calls and ends costs when it is traced: CPU time of the whole program,
including the threads and processes that write the trace, divided by the number of threads.
"""

import glob
import os
from dataclasses import dataclass, field

from parts import pipeline, process, variants

CALLS_A_THREAD = 5  # as in programs/main.c


@dataclass
class Run:
    key: str
    title: str
    program: str
    outside: bool = False  # below dftrace run
    environment: dict = field(default_factory=dict)


RUNS = (
    Run("plain", "plain", "plain"),
    Run("shared", "dftrace, libdftrace.so", "shared", environment=variants.ON),
    Run("run", "dftrace run, writer beside the program", "unlinked", outside=True),
)


class Threads:
    """`cpu_s`: run -> the minimum of all rounds; `missing`: run -> the largest number of calls that a trace lacks."""

    def __init__(self, builder, scratch, rounds, count):
        self.builder = builder
        self.scratch = scratch
        self.rounds = rounds
        self.count = count
        self.cpu_s = {}
        self.missing = {}

    def measure(self, progress):
        for number in range(self.rounds):
            progress(f"short-lived threads: round {number + 1} of {self.rounds}")
            for run in RUNS:
                with process.Scratch(self.scratch) as directory:
                    self._measure_one(run, directory)

    def added_us(self, key):
        return (self.cpu_s[key] - self.cpu_s["plain"]) / self.count * 1e6

    def _measure_one(self, run, directory):
        command = [self.builder.paths[run.program], "short-lived", str(self.count), "1"]
        if run.outside:
            tool = os.path.join(self.builder.build, "bin", "dftrace")
            command = [tool, "run", "--no-report", "-o", os.path.join(directory, "trace"), *command]
        taken = process.run_measured(self.builder.paths["taken"], command, directory, run.environment)
        self.cpu_s[run.key] = min(taken.cpu_s, self.cpu_s.get(run.key, taken.cpu_s))
        if run.key != "plain":
            traces = glob.glob(os.path.join(directory, "*.pfw.gz"))
            found = sum(pipeline.count_lines('"name":"leaf"', ["gzip", "-dc", trace]) for trace in traces)
            missing = abs(self.count * CALLS_A_THREAD - found)
            self.missing[run.key] = max(missing, self.missing.get(run.key, 0))
