"""Measures what a program's own events (dftrace.h) cost, beside a traced call of a function in the same run."""

import os

from parts import process, variants

KINDS = (
    ("scope", "scope without values"),
    ("instant", "instant"),
    ("counter", "counter"),
    ("scope_values", "scope with two integers"),
    ("begin", "begin and end"),
)


class Events:
    """`traced`, `off`: kind -> ns added to an empty function; "call" is a traced call of a function."""

    def __init__(self, builder, scratch, rounds, calls):
        self.builder = builder
        self.scratch = scratch
        self.rounds = rounds
        self.calls = calls
        self.traced = {}
        self.off = {}

    def measure(self, progress):
        progress("events of the program")
        with process.Scratch(self.scratch) as directory:
            program = self._build(directory)
            command = [program, str(self.calls), str(self.rounds)]
            self.traced = self._run(command, directory, variants.ON)
            self.off = self._run(command, directory, variants.OFF)

    def _build(self, directory):
        program = os.path.join(directory, "events")
        process.run([self.builder.compilers["gcc"], "-O2", "-I" + os.path.join(self.builder.build, "include"),
                     os.path.join(self.builder.sources, "events.c"), "-o", program,
                     *self.builder.plugin_flags("allow-events.txt"), "-Wl,--no-as-needed", *self.builder.runtime("-ldftrace")],
                    directory)
        return program

    def _run(self, command, directory, environment):
        printed = process.read_text(process.run(command, directory, environment))
        return {kind: float(ns) for kind, ns in (line.split() for line in printed.splitlines())}
