"""Measures what recording an I/O call costs: a pread of 4 KiB from the page cache, beside the bare call and strace."""

import os
import shutil

from parts import process

COLUMNS = ("1 thread", "8 threads")
THREADS = (1, 8)
STRACE_PART = 10  # strace takes microseconds a call
RUNS = (
    ("bare", "not traced", None),
    ("excluded", "dftrace run --io, the file is excluded", ("-e", "DATA_DIR=/nonexistent")),
    ("traced", "dftrace run --io", ()),
    ("strace", "strace -f", None),
)


class Io:
    """`ns`: run -> CPU ns of a call, by number of threads, None: not measured; `clock_ns`: of one clock read."""

    def __init__(self, builder, scratch, rounds, calls):
        self.builder = builder
        self.scratch = scratch
        self.rounds = rounds
        self.calls = calls
        self.ns = {key: [None] * len(THREADS) for key, _, _ in RUNS}
        self.clock_ns = None
        self.left_out = {}

    def measure(self, progress):
        with process.Scratch(self.scratch) as directory:
            program = self._build(directory)
            for key, title, flags in RUNS:
                if key == "strace" and not shutil.which("strace"):
                    self.left_out[title] = "strace is not installed"
                    continue
                for place, threads in enumerate(THREADS):
                    progress(f"I/O calls: {title}, {threads}")
                    self._measure_one(key, place, self._command(key, flags, program, threads), directory)

    def _build(self, directory):
        program = os.path.join(directory, "preads")
        process.run([self.builder.compilers["gcc"], "-O2", "-pthread", os.path.join(self.builder.sources, "preads.c"), "-o", program], directory)
        with open(os.path.join(directory, "data"), "wb") as file:
            file.write(bytes(65536))
        return program

    def _command(self, key, flags, program, threads):
        calls = self.calls // STRACE_PART if key == "strace" else self.calls
        command = [program, str(threads), str(calls), str(self.rounds), "data"]
        if key == "strace":
            return ["strace", "-f", "-o", "/dev/null", *command]
        if flags is None:
            return command
        return [os.path.join(self.builder.build, "bin", "dftrace"), "run", "--io", "--no-report", *flags, "--", *command]

    def _measure_one(self, key, place, command, directory):
        printed = process.read_text(process.run(command, directory)).split()
        self.ns[key][place] = float(printed[0])
        self.clock_ns = min(float(printed[1]), self.clock_ns or float(printed[1]))

    def added(self, key, without=0.0):
        return [None if ns is None else ns - bare - without for ns, bare in zip(self.ns[key], self.ns["bare"])]
