"""Compares the output formats: what writing a call costs, and how many bytes it takes.

CPU time is that of bench-writer, which makes a trace from a full spool with nothing else running. Bytes are also those of a real
program's trace.
"""

import glob
import os
import re

from parts import process, variants

FORMATS = ("json", "dftracer", "perfetto")
PRINTED = re.compile(r"\(([\d.]+) ns of CPU time\), ([\d.]+) bytes a call")


class Formats:
    """`cpu_ns`, `made_bytes`, `mixed_bytes`: format -> the minimum of all rounds."""

    def __init__(self, builder, scratch, rounds, calls):
        self.builder = builder
        self.scratch = scratch
        self.rounds = rounds
        self.calls = calls
        self.cpu_ns, self.made_bytes, self.mixed_bytes = {}, {}, {}

    def measure(self, progress):
        for number in range(self.rounds):
            progress(f"formats: round {number + 1} of {self.rounds}")
            for name in FORMATS:
                with process.Scratch(self.scratch) as directory:
                    self._measure_writer(name, directory)
                    if number == 0:
                        self._measure_program(name, directory)

    def _measure_writer(self, name, directory):
        writer = os.path.join(self.builder.build, "bench", "bench-writer")
        printed = process.read_text(process.run([writer, directory, str(self.calls), name], directory))
        found = PRINTED.search(printed)
        if not found:
            raise process.Failed(f"bench-writer printed {printed!r}")
        self.cpu_ns[name] = min(float(found[1]), self.cpu_ns.get(name, float(found[1])))
        self.made_bytes[name] = float(found[2])

    def _measure_program(self, name, directory):
        environment = {**variants.ON, "DFTRACER_FORMAT": name}
        command = [self.builder.paths["shared"], "mixed", str(self.calls), "1"]
        made = int(process.read_text(process.run(command, directory, environment)).split()[2])
        traces = glob.glob(os.path.join(directory, "trace-*"))
        if len(traces) != 1:
            raise process.Failed(f"expected one trace, found {len(traces)}")
        self.mixed_bytes[name] = os.path.getsize(traces[0]) / made
