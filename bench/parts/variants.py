"""The variants that are compared: programs, with the environment and the command that trace them."""

import os
import shutil
from dataclasses import dataclass, field

WORKLOADS = ("leaf", "fib", "threads", "mixed")


@dataclass
class Variant:
    """`baseline`: the program without instrumentation that this one is compared with; `every`: of how many
    rounds it takes part in one, for those that take long and that no target is about; `fewer`: how many times
    fewer calls it makes, where one takes microseconds."""

    key: str
    title: str
    program: str
    baseline: str = "plain"
    environment: dict = field(default_factory=dict)
    launcher: list = field(default_factory=list)
    every: int = 1
    fewer: int = 1


ON = {"DFTRACER_ENABLE": "1", "DFTRACER_LOG_FILE": "trace"}
OFF = {"DFTRACER_ENABLE": "0"}
PROGRAMS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs")
LISTED = {**ON, "DFTRACER_ALLOWLIST": os.path.join(PROGRAMS, "allow.txt")}
UNLISTED = {**ON, "DFTRACER_ALLOWLIST": os.path.join(PROGRAMS, "none.txt")}
XRAY_BASIC = {
    "XRAY_OPTIONS": "patch_premain=true xray_mode=xray-basic verbosity=0",
    "XRAY_BASIC_OPTIONS": "func_duration_threshold_us=0",  # the default omits calls shorter than 5 us
}
# Without --no-libcall, calls of library functions would be traced as well.
UFTRACE = ["uftrace", "record", "--no-libcall", "-d", "uftrace.data"]

VARIANTS = (
    Variant("plain", "plain", "plain"),
    Variant("plain_clang", "plain, Clang", "plain_clang"),
    Variant("limit", "limit: 2 counter reads, 1 store, inline", "limit"),
    Variant("shared", "dftrace, libdftrace.so", "shared", environment=ON),
    Variant("static", "dftrace, libdftrace.a", "static", environment=ON),
    Variant("shared_clang", "dftrace, libdftrace.so, Clang", "shared_clang", "plain_clang", environment=ON),
    Variant("off", "dftrace, instrumented but off", "shared", environment=OFF),
    Variant("off_static", "dftrace, libdftrace.a, instrumented but off", "static", environment=OFF),
    Variant("attach", "dftrace, attachable, not asked to trace", "shared", environment={"DFTRACER_ENABLE": "attach"}),
    Variant("unlinked", "dftrace, instrumented, no runtime", "unlinked", environment=OFF),
    Variant("fallback", "dftrace, -finstrument-functions", "fallback", environment=LISTED),
    Variant("fallback_not", "dftrace, -finstrument-functions, not matched", "fallback", environment=UNLISTED),
    Variant("raw_samples", "the system calls of two samples", "raw_samples", every=2, fewer=20),
    Variant("samples", "dftrace, each call with a sample", "samples", environment=ON, every=2, fewer=20),
    Variant("cyg", "-finstrument-functions, empty hooks", "cyg", every=3),
    Variant("gprof", "gprof (gcc -pg)", "pg", every=3),
    Variant("uftrace", "uftrace (gcc -pg)", "pg", launcher=UFTRACE, every=3),
    Variant("xray_fdr", "XRay FDR", "xray_fdr", "plain_clang", every=10),
    Variant("xray_basic", "XRay basic", "xray_basic", "plain_clang", environment=XRAY_BASIC, every=10),
)


def choose(builder):
    """The variants that can run here, and a sentence for each that cannot."""
    chosen, left_out = [], {}
    for variant in VARIANTS:
        missing = next((name for name in (variant.program, variant.baseline) if name in builder.left_out), None)
        if missing:
            left_out[variant.title] = builder.left_out[missing]
        elif variant.launcher and not shutil.which(variant.launcher[0]):
            left_out[variant.title] = f"{variant.launcher[0]} is not installed"
        else:
            chosen.append(variant)
    return chosen, left_out


def make_command(variant, builder, workload, calls, repeats):
    return [*variant.launcher, builder.paths[variant.program], workload, str(calls // variant.fewer), str(repeats)]


def left_a_trace(variant, directory):
    """Whether a tracer that must write something did so: a tracer that failed silently would look cheap."""
    expected = {"shared": ".pfw.gz", "static": ".pfw.gz", "shared_clang": ".pfw.gz", "samples": ".pfw.gz",
                "fallback": ".pfw.gz",
                "gprof": "gmon.out",
                "uftrace": "uftrace.data", "xray_fdr": "xray-log.", "xray_basic": "xray-log."}
    part = expected.get(variant.key)
    return part is None or any(part in name for name in os.listdir(directory))
