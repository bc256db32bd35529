"""Measures what a call costs: every variant runs every workload in turn, and the fastest round is used.

A round starts each variant once for each workload. Other load on the machine only adds time, and affects all variants alike,
since they alternate within seconds. Therefore the minimum is closest to the truth, and ratios of minima from one run
mean more than any single figure.
"""

import statistics

from parts import process, variants


class Overhead:
    """(variant, workload) -> `ns`: the minimum of all rounds; `peaks`: KiB of each round. `left_out`: title -> sentence."""

    def __init__(self, builder, scratch, rounds, calls, repeats):
        self.builder = builder
        self.scratch = scratch
        self.rounds = rounds
        self.calls = calls
        self.repeats = repeats
        self.ns = {}
        self.peaks = {}
        self.chosen, self.left_out = variants.choose(builder)

    def measure(self, progress):
        for number in range(self.rounds):
            progress(f"overhead: round {number + 1} of {self.rounds}")
            for workload in variants.WORKLOADS:
                # Rotated, so that no variant always runs after the same neighbour.
                first = number % len(self.chosen)
                for variant in [*self.chosen[first:], *self.chosen[:first]]:
                    if number % variant.every == 0:
                        self._measure_one(variant, workload)

    def _measure_one(self, variant, workload):
        command = variants.make_command(variant, self.builder, workload, self.calls, self.repeats)
        with process.Scratch(self.scratch) as directory:
            try:
                printed = process.run(command, directory, variant.environment)
                if not variants.left_a_trace(variant, directory):
                    raise process.Failed("it wrote no trace")
                ns, _, peak = process.read_text(printed).split()[-3:]
            except process.Failed as error:
                if variant.program in ("plain", "limit", "shared", "static", "unlinked"):
                    raise
                self.left_out[variant.title] = str(error)
                self.chosen = [other for other in self.chosen if other.key != variant.key]
                self.ns = {key: ns for key, ns in self.ns.items() if key[0] != variant.key}
                return
        key = (variant.key, workload)
        self.ns[key] = min(float(ns), self.ns.get(key, float(ns)))
        self.peaks.setdefault(key, []).append(int(peak))

    def peak_kib(self, key, workload):
        """The median: addresses of libraries are random, and with them the number of pages that are loaded."""
        return round(statistics.median(self.peaks[(key, workload)]))

    def added(self, key, workload):
        """Nanoseconds that a variant adds to a call; None if it was not measured."""
        variant = next(variant for variant in variants.VARIANTS if variant.key == key)
        own, base = self.ns.get((key, workload)), self.ns.get((variant.baseline, workload))
        return None if own is None or base is None else own - base
