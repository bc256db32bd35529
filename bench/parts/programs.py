"""Builds the measured programs: the same three sources, instrumented in every way that is compared.

What cannot be built because something is not installed is left out, with a sentence that says so.
"""

import concurrent.futures
import os
import re
import shutil
import tempfile

from parts import process

SOURCES = ("calls.c", "mixed.cc")
# Alignment is fixed, so that the speed of a loop does not depend on its address.
FLAGS = ["-O2", "-falign-functions=64"]
# Every variant loads the same libraries, whether it uses them or not.
LINK_FLAGS = ["-pthread", "-Wl,--no-as-needed"]


class Program:
    """One way to build. `extra`: a source besides the work; `lacks`: the message if it cannot be built."""

    def __init__(self, family, flags=(), link=(), extra=None, lacks=None):
        self.family = family
        self.flags = list(flags)
        self.link = list(link)
        self.extra = extra
        self.lacks = lacks


class Builder:
    """Knows the available compilers; fills `paths` (program -> file) and `left_out` (program -> sentence)."""

    def __init__(self, root, build, scratch):
        self.sources = os.path.join(root, "bench", "programs")
        self.root = root
        self.build = build
        self.scratch = scratch
        self.compilers = {"gcc": self._find("gcc"), "clang": self._find("clang")}
        self.paths = {}
        self.left_out = {}

    def _find(self, family):
        """The newest compiler of a family with a plugin; else any, for the peers."""
        plugins = os.path.join(self.build, "lib", "dftrace")
        names = os.listdir(plugins) if os.path.isdir(plugins) else []
        with_plugin = [name for name in names if re.fullmatch(family + r"-\d+", name) and shutil.which(name)]
        if with_plugin:
            # XRay and the plugin are best compared in one compiler: the oldest Clang has both everywhere.
            order = sorted(with_plugin, key=lambda name: int(name.split("-")[1]))
            return order[-1] if family == "gcc" else order[0]
        others = [f"{family}-{version}" for version in range(11, 25)]
        return next((name for name in others if shutil.which(name)), None)

    def has_plugin(self, family):
        name = self.compilers[family]
        return name is not None and os.path.exists(os.path.join(self.build, "lib", "dftrace", name, "dftrace.so"))

    def describe(self):
        return {
            "plain": Program("gcc"),
            "limit": Program("gcc", ["-DBENCH_LIMIT"]),
            "shared": Program("gcc", self.plugin_flags(), self.runtime("-ldftrace")),
            "static": Program("gcc", self.plugin_flags(), self.runtime("-l:libdftrace.a")),
            "unlinked": Program("gcc", self.plugin_flags()),
            "fallback": Program("gcc", ["-finstrument-functions", "-g"], self.runtime("-ldftrace")),
            "raw_samples": Program("gcc", ["-DBENCH_SAMPLES", "-D_GNU_SOURCE"]),
            "samples": Program("gcc", self.plugin_flags("allow-samples.txt"), self.runtime("-ldftrace")),
            "cyg": Program("gcc", ["-finstrument-functions"], extra="empty_hooks.c"),
            "pg": Program("gcc", ["-pg"], ["-pg"]),
            "plain_clang": Program("clang", lacks="clang is not installed"),
            "shared_clang": Program("clang", self.plugin_flags(), self.runtime("-ldftrace"),
                                    lacks="the build has no plugin for an installed clang"),
            "xray_basic": Program("clang", self._xray_flags(), self._xray_flags(),
                                  lacks="needs clang and its XRay runtime (package libclang-rt-14-dev)"),
            "xray_fdr": Program("clang", self._xray_flags(), self._xray_flags(), "xray_fdr.c",
                                lacks="needs clang and its XRay runtime (package libclang-rt-14-dev)"),
        }

    def plugin_flags(self, allowlist="allow.txt"):
        allowlist = os.path.join(self.sources, allowlist)
        return ["-fplugin=" + os.path.join(self.build, "lib", "dftrace.so"),
                "-fplugin-arg-dftrace-allowlist=" + allowlist]

    def runtime(self, library):
        folder = os.path.join(self.build, "lib")
        return ["-L" + folder, "-Wl,-rpath," + folder, library]

    @staticmethod
    def _xray_flags():
        return ["-fxray-instrument", "-fxray-instruction-threshold=1"]

    def build_all(self):
        if not self.has_plugin("gcc"):
            raise process.Failed(f"{self.build} has no plugin for an installed gcc-N; build first, with ./dev build")
        self.paths["taken"] = os.path.join(self.scratch, "taken")
        process.run([self.compilers["gcc"], "-O2", os.path.join(self.sources, "taken.c"), "-o", self.paths["taken"]],
                    self.scratch)
        programs = self.describe()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = {name: pool.submit(self._build, name, program) for name, program in programs.items()}
        for name, job in jobs.items():
            try:
                self.paths[name] = job.result()
            except process.Failed as error:
                if programs[name].lacks is None:
                    raise
                self.left_out[name] = programs[name].lacks
                if self.compilers[programs[name].family] is not None and "plugin" not in programs[name].lacks:
                    self.left_out[name] += f": {str(error).splitlines()[-1]}"

    def _build(self, name, program):
        cc = self.compilers[program.family]
        if cc is None or (name == "shared_clang" and not self.has_plugin("clang")):
            raise process.Failed(program.lacks or f"no {program.family} is installed")
        cxx = cc.replace("gcc", "g++").replace("clang", "clang++")
        folder = tempfile.mkdtemp(prefix=name + "-", dir=self.scratch)
        objects = []
        # main.c and what a peer needs besides the work are never instrumented.
        plain = ["main.c"] + ([program.extra] if program.extra else [])
        for source in [*SOURCES, *plain]:
            objects.append(os.path.join(folder, source + ".o"))
            flags = FLAGS + ([] if source in plain else program.flags)
            process.run([cxx if source.endswith(".cc") else cc, *flags, "-I" + self.root, "-c",
                         os.path.join(self.sources, source), "-o", objects[-1]], folder)
        path = os.path.join(folder, "bench-" + name)
        process.run([cxx, *LINK_FLAGS, *objects, *program.link, "-o", path], folder)
        return path
