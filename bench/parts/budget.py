"""Measures a program with one very hot, tiny function without a trace, with a full trace, and with DFTRACER_BUDGET: CPU time
of the whole process, including the threads that write the trace.
"""

import glob
import os
import re
import subprocess
from dataclasses import dataclass, field

from parts import pipeline, process, variants

ADDED_UP = re.compile(r'"name":"calls of leaf",.*"args":\{"count":(\d+),')


@dataclass
class Run:
    """`budget`: in percent; None: no budget."""

    key: str
    title: str
    program: str
    budget: float = None
    environment: dict = field(default_factory=dict)


def with_budget(percent):
    return Run(f"budget_{percent}", f"dftrace, DFTRACER_BUDGET={percent}%", "shared", percent,
               {**variants.ON, "DFTRACER_BUDGET": f"{percent}%"})


RUNS = (
    Run("plain", "plain", "plain"),
    Run("full", "dftrace, every call", "shared", environment=variants.ON),
    with_budget(3),
    with_budget(10),
)


class Budget:
    """`cpu_s`: run -> the minimum of all rounds; `wrong`: run -> the largest error of the number of calls in a trace."""

    def __init__(self, builder, scratch, rounds, calls):
        self.builder = builder
        self.scratch = scratch
        self.rounds = rounds
        self.calls = calls
        self.cpu_s = {}
        self.wrong = {}

    def measure(self, progress):
        for number in range(self.rounds):
            progress(f"budget: round {number + 1} of {self.rounds}")
            for run in RUNS:
                with process.Scratch(self.scratch) as directory:
                    self._measure_one(run, directory, number == 0)

    def _measure_one(self, run, directory, first):
        command = [self.builder.paths[run.program], "hot", str(self.calls), "1"]
        taken = process.run_measured(self.builder.paths["taken"], command, directory, run.environment)
        self.cpu_s[run.key] = min(taken.cpu_s, self.cpu_s.get(run.key, taken.cpu_s))
        # Millions of lines are counted once; a trace with a budget is small.
        if run.environment and (first or run.budget is not None):
            off = abs(self._count_calls(directory) - self.calls)
            self.wrong[run.key] = max(off, self.wrong.get(run.key, 0))

    @staticmethod
    def _count_calls(directory):
        traces = glob.glob(os.path.join(directory, "*.pfw.gz"))
        if len(traces) != 1:
            raise process.Failed(f"expected one trace, found {len(traces)}")
        single = pipeline.count_lines('"name":"leaf"', ["gzip", "-dc", traces[0]])
        lines = subprocess.run(["zgrep", "calls of leaf", traces[0]], stdout=subprocess.PIPE, text=True, check=False)
        return single + sum(int(count) for count in ADDED_UP.findall(lines.stdout))
