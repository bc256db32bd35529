"""Measures what a call costs if calls do not stop: one run of many calls, from a cold start and without a pause.

The figures, CPU time of the calling thread and wall time, include buffers that have never been touched, page faults, and
waiting for the writer. overhead.py measures the opposite: the fastest of many short bursts.
"""

import statistics

from parts import process, variants

# The tracers, and what they are compared with
KEYS = ("plain", "plain_clang", "limit", "shared", "static", "shared_clang", "fallback", "cyg", "gprof", "uftrace",
        "xray_fdr", "xray_basic")
XRAY_FEWER = 20  # XRay holds all of its calls in memory


class Sustained:
    """(variant, workload) -> `cpu`, `wall`: nanoseconds a call in each round. `left_out`: title -> sentence."""

    def __init__(self, builder, scratch, rounds, calls):
        self.builder = builder
        self.scratch = scratch
        self.rounds = rounds
        self.calls = calls
        self.cpu = {}
        self.wall = {}
        chosen, self.left_out = variants.choose(builder)
        self.chosen = [variant for variant in chosen if variant.key in KEYS]

    def measure(self, progress):
        for number in range(self.rounds):
            for workload in variants.WORKLOADS:
                for variant in list(self.chosen):
                    progress(f"sustained: round {number + 1} of {self.rounds}, {workload}, {variant.title}")
                    if number % variant.every == 0:
                        self._measure_one(variant, workload)

    def _measure_one(self, variant, workload):
        calls = self.calls // XRAY_FEWER if variant.key.startswith("xray") else self.calls
        command = variants.make_command(variant, self.builder, workload, calls, 1)
        with process.Scratch(self.scratch) as directory:
            try:
                printed = process.run(command, directory, variant.environment)
                if not variants.left_a_trace(variant, directory):
                    raise process.Failed("it wrote no trace")
                wall, cpu, _, _ = process.read_text(printed).split()[-4:]
            except process.Failed as error:
                if variant.program in ("plain", "limit", "shared", "static"):
                    raise
                self.left_out[f"{variant.title}, sustained"] = str(error)
                self.chosen = [other for other in self.chosen if other.key != variant.key]
                return
        self.cpu.setdefault((variant.key, workload), []).append(float(cpu))
        self.wall.setdefault((variant.key, workload), []).append(float(wall))

    def added(self, figures, key, workload):
        """Nanoseconds that a variant adds to a call, as the median of its rounds; None if it was not measured."""
        variant = next(variant for variant in variants.VARIANTS if variant.key == key)
        own, base = figures.get((key, workload)), figures.get((variant.baseline, workload))
        return None if own is None or base is None else statistics.median(own) - statistics.median(base)
