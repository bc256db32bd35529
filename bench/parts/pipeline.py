"""Measures from launch to a finished trace that a viewer opens: time, size, memory and missing calls.

dftrace's trace is gzip JSON when the program has ended. uftrace and XRay record in formats of their own, which a second command
converts to Chrome's JSON. Their JSON is not compressed, which is to their advantage.
"""

import glob
import os
import shutil
import subprocess
from dataclasses import dataclass

from parts import process, variants

WORKLOADS = ("leaf", "mixed")
UFTRACE_BYTES_A_CALL = 32 + 180  # its data and its JSON, while both exist


@dataclass
class Figures:
    """Figures of one method, workload and number of calls. Times are those of the fastest round."""

    wall_s: float
    cpu_s: float
    peak_kib: int
    calls: int
    found: int
    trace_bytes: int
    recorded_bytes: int


class Method:
    """A way to get a finished trace. `program`: what is run; `largest`: number of calls that it can handle, None for any."""

    key = title = program = ""
    largest = None
    environment = {}

    def __init__(self, builder):
        self.builder = builder

    def find_reason_against(self):
        """Why the method cannot be used here; None if it can."""
        return self.builder.left_out.get(self.program)

    def make_commands(self, work, directory):
        """Yields commands, each with the name of the file for its output; `work`: the program's arguments."""
        raise NotImplementedError

    def find_trace(self, directory):
        """The finished file."""
        raise NotImplementedError

    def count_calls(self, trace):
        raise NotImplementedError

    def measure_record(self, directory):
        """Bytes of the recorded format before conversion; None if nothing is converted."""
        return None


class Dftrace(Method):
    key = "dftrace"
    title = "dftrace, writer in the program"
    program = "shared"
    environment = variants.ON

    def make_commands(self, work, directory):
        yield [self.builder.paths[self.program], *work], "printed"

    def find_trace(self, directory):
        traces = glob.glob(os.path.join(directory, "*.pfw.gz"))
        if len(traces) != 1:
            raise process.Failed(f"expected one trace, found {len(traces)}")
        return traces[0]

    def count_calls(self, trace):
        return count_lines('"cat":"FUNC"', ["gzip", "-dc", trace])


class DftraceSmall(Dftrace):
    key = "dftrace_64m"
    title = "dftrace, spool of 64 MiB at most"
    environment = {**variants.ON, "DFTRACER_SPOOL_MAX": "64M"}


class DftraceRun(Dftrace):
    key = "dftrace_run"
    title = "dftrace run, writer beside the program"
    program = "unlinked"

    def _tool(self):
        return os.path.join(self.builder.build, "bin", "dftrace")

    def find_reason_against(self):
        done = subprocess.run([self._tool(), "run", "--help"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL, timeout=60, check=False)
        return None if done.returncode == 0 else "this build of dftrace has no command `run`"

    def make_commands(self, work, directory):
        yield [self._tool(), "run", "--no-report", self.builder.paths[self.program], *work], "printed"


class Uftrace(Method):
    key = "uftrace"
    title = "uftrace record, dump --chrome"
    program = "pg"

    def find_reason_against(self):
        return None if shutil.which("uftrace") else "uftrace is not installed"

    def make_commands(self, work, directory):
        yield [*variants.UFTRACE, self.builder.paths[self.program], *work], "printed"
        yield ["uftrace", "dump", "--chrome", "-d", "uftrace.data"], "uftrace.json"

    def find_trace(self, directory):
        return os.path.join(directory, "uftrace.json")

    def count_calls(self, trace):
        return count_lines('"ph":"B"', ["cat", trace])

    def measure_record(self, directory):
        return sum(os.path.getsize(path) for path in glob.glob(os.path.join(directory, "uftrace.data", "*.dat")))


class XRay(Method):
    key = "xray_fdr"
    title = "XRay FDR, convert to trace_event"
    program = "xray_fdr"
    largest = 2_000_000  # XRay keeps all calls in memory, and converts some hundred thousand per second

    def _converter(self):
        return (self.builder.compilers["clang"] or "clang").replace("clang", "llvm-xray")

    def find_reason_against(self):
        if shutil.which(self._converter()) is None:
            return f"{self._converter()} is not installed"
        return super().find_reason_against()

    def make_commands(self, work, directory):
        program = self.builder.paths[self.program]
        yield [program, *work], "printed"
        logs = glob.glob(os.path.join(directory, "xray-log.*"))
        if len(logs) != 1:
            raise process.Failed(f"XRay left {len(logs)} logs where one was expected")
        yield [self._converter(), "convert", "-f", "trace_event", "-symbolize", "-instr_map=" + program,
               "-o", "xray.json", logs[0]], "converted"

    def find_trace(self, directory):
        return os.path.join(directory, "xray.json")

    def count_calls(self, trace):
        return count_lines('"ph" : "B"', ["cat", trace])

    def measure_record(self, directory):
        return sum(os.path.getsize(path) for path in glob.glob(os.path.join(directory, "xray-log.*")))


METHODS = (Dftrace, DftraceSmall, DftraceRun, Uftrace, XRay)


def count_lines(text, producer):
    """How many of the producer's lines contain `text`, without passing a gigabyte of JSON through Python."""
    with subprocess.Popen(producer, stdout=subprocess.PIPE) as source:
        counted = subprocess.run(["grep", "-cF", "--", text], stdin=source.stdout, stdout=subprocess.PIPE,
                                 env={**os.environ, "LC_ALL": "C"}, check=False)
        source.stdout.close()
    if source.returncode != 0:
        raise process.Failed(f"{' '.join(producer)} ended with {source.returncode}")
    return int(counted.stdout)


class Pipeline:
    """`figures`: (method, workload, calls asked for) -> Figures. `sizes`: calls -> rounds."""

    def __init__(self, builder, scratch, sizes):
        self.builder = builder
        self.scratch = scratch
        self.sizes = sizes
        self.figures = {}
        self.left_out = {}
        self.methods = []
        for method in (method(builder) for method in METHODS):
            reason = method.find_reason_against()
            if reason is None:
                self.methods.append(method)
            else:
                self.left_out[method.title] = reason

    def measure(self, progress):
        for calls, rounds in self.sizes.items():
            if shutil.disk_usage(self.scratch).free < 1.5 * calls * UFTRACE_BYTES_A_CALL:
                self.left_out[f"traces of {calls} calls"] = f"too little space in {self.scratch}; TMPDIR chooses another"
                continue
            for number in range(rounds):
                progress(f"traces of {calls} calls: round {number + 1} of {rounds}")
                for workload in WORKLOADS:
                    for method in list(self.methods):
                        if method.largest is None or calls <= method.largest:
                            self._measure_one(method, workload, calls)

    def _measure_one(self, method, workload, calls):
        key = (method.key, workload, calls)
        with process.Scratch(self.scratch) as directory:
            try:
                figures = self._run(method, [workload, str(calls), "1"], directory, self.figures.get(key))
            except process.Failed as error:
                if isinstance(method, Dftrace):
                    raise
                self.left_out[method.title] = str(error)
                self.methods.remove(method)
                return
        self.figures[key] = figures

    def _run(self, method, work, directory, before):
        wall = cpu = 0.0
        peak = made = 0
        for command, output in method.make_commands(work, directory):
            taken = process.run_measured(self.builder.paths["taken"], command, directory, method.environment, output)
            wall += taken.wall_s
            cpu += taken.cpu_s
            peak = max(peak, taken.peak_kib)
            if made == 0:  # the first command is the one that runs the program
                made = int(process.read_text(os.path.join(directory, output)).split()[-2])
        trace = method.find_trace(directory)
        if before is None:
            found = method.count_calls(trace)
            return Figures(wall, cpu, peak, made, found, os.path.getsize(trace), method.measure_record(directory))
        before.wall_s = min(before.wall_s, wall)
        before.cpu_s = min(before.cpu_s, cpu)
        before.peak_kib = max(before.peak_kib, peak)
        return before
