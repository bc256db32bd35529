"""Measures what tracing adds to calls of Python's functions, with every CPython since 3.11 that is found."""

import glob
import os
import subprocess

from parts import process, variants

COLUMNS = ("leaf", "fib", "step", "raise")  # of a generator; and catch
NAMED = "leaf\nfib\nsteps\nraises\n"
PLACES = ("/usr/bin/python3", "/usr/local/bin/python3", "~/.pyenv/versions/*/bin/python3")
ABOUT = "import sys; print(sys.implementation.name, *sys.version_info[:3])"

# key, title, what the allowlist names, DFTRACER_PYTHON, profiler of Python's own, first version
RUNS = (
    ("plain", "not traced", None, "", "", 11),
    ("unmatched", "traced, another function is named", "absent\n", "auto", "", 11),
    ("traced", "traced", NAMED, "auto", "", 11),
    ("monitored", "traced by sys.monitoring", NAMED, "monitor", "", 12),
    ("cprofile", "cProfile", None, "", "cprofile", 11),
    ("settrace", "sys.settrace, looks for another name", None, "", "settrace", 11),
)


def find_interpreters():
    """Version -> path."""
    found = {}
    for place in PLACES:
        for path in sorted(glob.glob(os.path.expanduser(place))):
            done = subprocess.run([path, "-c", ABOUT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
            name, *version = done.stdout.decode().split() or ["", "0"]
            if name == "cpython" and [int(part) for part in version[:2]] >= [3, 11]:
                found.setdefault(".".join(version), path)
    return found


class Python:
    """`ns`: (version, key) -> column -> CPU ns of a call."""

    def __init__(self, builder, scratch, rounds, calls, only_one):
        self.builder = builder
        self.scratch = scratch
        self.rounds = rounds
        self.calls = calls
        self.only_one = only_one  # of the interpreters that are found
        self.interpreters = {}
        self.ns = {}
        self.left_out = {}

    def measure(self, progress):
        progress("functions of Python")
        if not os.path.exists(os.path.join(self.builder.build, "lib", "libdftrace-python.so")):
            self.left_out["functions of Python"] = "built without the headers of Python (python3-dev)"
            return
        self.interpreters = find_interpreters()
        if self.only_one:
            self.interpreters = dict(list(self.interpreters.items())[:1])
        if not self.interpreters:
            self.left_out["functions of Python"] = "there is no CPython 3.11 or later"
        with process.Scratch(self.scratch) as directory:
            for _ in range(self.rounds):
                for version, path in self.interpreters.items():
                    self._measure(version, path, directory)

    def _measure(self, version, path, directory):
        for key, _, named, way, profiler, first in RUNS:
            if int(version.split(".")[1]) < first:
                continue
            environment = {"LD_PRELOAD": ""}
            if named is not None:
                allowlist = os.path.join(directory, "allow-" + key)
                with open(allowlist, "w", encoding="utf-8") as file:
                    file.write(named)
                environment = {**variants.ON, "DFTRACER_ALLOWLIST": allowlist, "DFTRACER_PYTHON": way,
                               "LD_PRELOAD": os.path.join(self.builder.build, "lib", "libdftrace.so")}
            command = [path, os.path.join(self.builder.sources, "python_calls.py"), str(self.calls), "3", *([profiler] if profiler else [])]
            printed = process.read_text(process.run(command, directory, environment))
            least = self.ns.setdefault((version, key), {})
            for line in printed.splitlines():
                cost, column = line.split(maxsplit=1)
                least[column] = min(float(cost), least.get(column, float(cost)))

    def added(self, version, key):
        plain, other = self.ns[version, "plain"], self.ns.get((version, key))
        return [other[column] - plain[column] if other else None for column in COLUMNS]
