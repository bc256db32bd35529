"""How lit runs the suites below this directory, for one compiler a run:

    lit.py --param build=BUILD --param compiler=gcc-12 tests/e2e

BUILD is a build directory; the compiler is one that BUILD has a plugin for. CTest runs exactly this
for each of them; without a compiler the default one stands behind %cc. The first command that fails ends a test, also within
a loop and before a semicolon (set -e), but not before && and ||. A test finds itself in a fresh directory and uses:

    %cc %cxx %fc      the compilers (C, C++, Fortran)      %gcov-cc %gcov  a GCC and its gcov
    %plugin           -fplugin=...                         %allow= -fplugin-arg-dftrace-allowlist=
    %arg-             -fplugin-arg-dftrace-                %{plugin}  the path of dftrace.so
    %lib              links with the runtime               %libdir where the runtime is
    %dftrace          the command                          %examples  the example programs
    %check-trace      support/check-trace                  %gcov-counts  support/gcov-counts
    %check-death      support/check-death                  %support  -I for its headers
    %each-level       support/each-level                   %{python} Python 3
    %each-compiler    support/each-compiler                %include  the headers
    %check-big-trace  support/big_trace.cc, built          %unharmed  support/unharmed
    %same-calls       support/same-calls                   %same-verdicts  support/same-verdicts with the command and the plugin
    %show-events      support/show-events
    %show-values      support/show-values                  %same-totals  support/same-totals with the command
    %compare-warnings  support/compare-warnings
    %perfetto         support/perfetto.mjs with the trace processor
    %perfetto-same    support/perfetto-same.mjs with it     %perfetto-loads  support/perfetto-loads.mjs with it
    %same-as-json     support/same-as-json
    %speedscope-schema  the schema of speedscope's file format
    %build-for-aarch64  support/build-for-aarch64 with the build directory

below python/, for one interpreter a run (--param python=PATH; --param way=monitor: without changed bytecode):

    %py               the interpreter                      %calls  python/Inputs/calls
    %extension        what compiles an extension module for it (the feature python-extension)

and below llvm/, where the compiler is a Clang:

    %opt              opt of its version                   %pass  the pass plugin, a path
    %opaque-opt       the same, where the IR has `ptr`     %clang-plugin  the Clang plugin, a path
    %lld              links with lld of its version
"""

import glob
import os
import platform
import re
import shutil
import subprocess
import sys

tests = os.path.dirname(os.path.abspath(__file__))
support = os.path.join(tests, "support")
sys.path.insert(0, support)

from story import Story  # noqa: E402

build = os.path.abspath(lit_config.params.get("build", os.path.join(tests, "..", "build")))
compiler = lit_config.params.get("compiler", "")

config.name = "dftrace" + ("-" + compiler if compiler else "")
config.test_format = Story()
config.test_source_root = tests
# One for each run: several of them may go on at once.
config.test_exec_root = os.path.join(build, "tests", lit_config.params.get("run", compiler or "lit"))
config.suffixes = [".c", ".cc", ".f90", ".ll", ".test"]
config.excludes = ["Inputs", "support", "unit", "fuzz", "rewrite_test.c"]
lit_config.bashPath = os.path.join(support, "bash-with-limit")

for name in list(config.environment):
    if name.startswith("DFTRACER_") or name == "LD_PRELOAD":
        del config.environment[name]
config.environment["LC_ALL"] = "C.UTF-8"
for name in ("DFTRACE_STRESS_CALLS", "DFTRACE_STRESS_FORKS", "DFTRACE_FORK_STRIDE", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"

# FileCheck, not and split-file come in LLVM's tools directory, beside or above lit itself.
llvm_tools = lit_config.params.get("llvm_tools", "")
if llvm_tools:
    config.environment["PATH"] = llvm_tools + os.pathsep + config.environment["PATH"]


def find(program):
    return shutil.which(program, path=config.environment["PATH"])


def substitute(name, value):
    # A name that is the beginning of a longer word ("%cc" in "%ccache") is not meant.
    config.substitutions.append((name + r"(?![\w-])", value.replace("\\", "\\\\")))


libdir = os.path.join(build, "lib")
substitute("%plugin", "-fplugin=" + os.path.join(libdir, "dftrace.so"))
config.substitutions.append(("%allow=?", "-fplugin-arg-dftrace-allowlist="))
config.substitutions.append(("%arg-", "-fplugin-arg-dftrace-"))
substitute(
    "%lib",
    f"-L{libdir} -Wl,-rpath,{libdir} -Wl,--push-state,--no-as-needed -ldftrace -Wl,--pop-state",
)
substitute("%libdir", libdir)
substitute("%dftrace", os.path.join(build, "bin", "dftrace"))
substitute("%examples", os.path.join(os.path.dirname(tests), "examples"))
# Hundreds of short runs: the interpreter itself, not a wrapper that chooses one, and none of the packages of its site.
python = sys.executable + " -S"
for name in ("check-trace", "show-values", "show-events", "check-death", "gcov-counts", "compare-warnings"):
    substitute("%" + name, python + " " + os.path.join(support, name))
config.environment["DFTRACE_TEST_PYTHON"] = sys.executable
substitute("%same-totals", f"{python} {support}/same-totals {build}/bin/dftrace")
substitute("%same-verdicts", f"{python} {support}/same-verdicts {build}/bin/dftrace {libdir}/dftrace.so")
substitute("%check-big-trace", os.path.join(build, "tests", "check-big-trace"))
substitute("%unharmed", os.path.join(support, "unharmed"))
substitute("%same-calls", os.path.join(support, "same-calls") + " " + libdir)
substitute("%support", "-I" + support)
substitute("%each-level", os.path.join(support, "each-level"))
substitute("%each-compiler", os.path.join(support, "each-compiler"))
substitute("%include", os.path.join(os.path.dirname(tests), "include"))
config.substitutions.append((r"%\{python\}", python))
config.substitutions.append((r"%\{plugin\}", os.path.join(libdir, "dftrace.so")))

if subprocess.run(["sh", "-c", "strace -o /dev/null true"], stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("strace")
else:
    lit_config.note("no strace, or it may not trace: tests that need strace are unsupported")

levels = ["-O0", "-O2", "-O3", "-Os"]
match = re.fullmatch(r"(gcc|clang)-(\d+)", compiler)
if match:
    kind, version = match.groups()
    programs = {
        "gcc": {"c++": "g++-", "fortran": "gfortran-"},
        "clang": {"c++": "clang++-", "lld": "ld.lld-"},
    }[kind]
    flags = lit_config.params.get("flags", "")  # of a build with a sanitizer: support/sanitize
    substitute("%cc", f"{compiler} {flags}")
    substitute("%cxx", f"{programs['c++']}{version} {flags}")
    substitute("%fc", programs.get("fortran", "no-fortran-") + version)
    config.available_features.update([kind, compiler])
    for feature, program in programs.items():
        if find(program + version):
            config.available_features.add(feature)
        else:
            lit_config.note(f"no {program}{version}: tests that need {feature} are unsupported")
    if kind == "gcc":
        levels.append("-O2 -flto")
    elif find("ld.lld-" + version):
        # Clang's link time optimization needs the linker of its own version.
        linker = "--ld-path=" + find("ld.lld-" + version)
        levels += [f"-O2 -flto {linker}", f"-O2 -flto=thin {linker}"]
        substitute("%lld", linker)
    substitute("%level-lto", levels[-1])
    if kind == "clang":
        opt = find("opt-" + version) or f"/usr/lib/llvm-{version}/bin/opt"
        if os.path.exists(opt):
            config.available_features.add("opt")
        else:
            lit_config.note(f"no opt-{version}: tests that need opt are unsupported")
        substitute("%opt", opt)
        # LLVM 14 reads `ptr` when told to; from 17 on there is nothing else.
        substitute("%opaque-opt", opt + (" -opaque-pointers" if version == "14" else ""))
        substitute("%clang-plugin", os.path.join(libdir, "dftrace", compiler, "dftrace.so"))
        substitute("%pass", os.path.join(libdir, "dftrace", compiler, "dftrace-pass.so"))
elif not compiler:
    substitute("%cc", "gcc")
    substitute("%cxx", "g++")
else:
    lit_config.fatal(f"compiler={compiler}: expected gcc-N or clang-N")
# All of them with the compilers that Debian calls gcc and clang; elsewhere those that differ most.
if compiler not in ("gcc-12", "clang-14"):
    levels = [level for level in levels if level not in ("-O3", "-Os")]
config.environment["DFTRACE_TEST_LEVELS"] = "\n".join(levels)

# The oracle of call counts is GCC's, whichever compiler is under test.
for oracle in ("12", "11"):
    if find("gcov-" + oracle) and find("gcc-" + oracle):
        substitute("%gcov-cc", "gcc-" + oracle)
        substitute("%gcov", "gcov-" + oracle)
        config.available_features.add("gcov")
        break

every_compiler = []
for name in sorted(os.listdir(os.path.join(libdir, "dftrace"))):
    config.available_features.add("plugin-" + name)
    if find(name) and find(name.replace("gcc", "g++").replace("clang", "clang++")):
        every_compiler.append(name)
config.environment["DFTRACE_TEST_COMPILERS"] = " ".join(every_compiler)
if len(every_compiler) > 1:
    config.available_features.add("several-compilers")

# Tests that need a small or read-only file system mount one in a mount namespace of their own.
if subprocess.run(
    ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"], stderr=subprocess.DEVNULL, check=False
).returncode == 0:
    config.available_features.add("mount")
else:
    lit_config.note("mounting is not permitted (needs root): tests that need mount are unsupported")
# A disk that can be full, where one may be made out of a file.
make_disk = "disk=$(mktemp) && truncate -s 16M $disk && mkfs.ext4 -q $disk && mount -o loop $disk /mnt; code=$?; rm $disk; exit $code"
if subprocess.run(["unshare", "-m", "sh", "-c", make_disk], stderr=subprocess.DEVNULL, check=False).returncode == 0:
    config.available_features.add("ext4")
else:
    lit_config.note("ext4 cannot be mounted from a file: tests that need a disk of their own are unsupported")
if subprocess.run(["unshare", "-Urpf", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
    config.available_features.add("user-namespace")
else:
    lit_config.note("no user namespaces: tests that need user-namespace are unsupported")
if platform.machine() == "x86_64":
    config.available_features.add("x86-64")
else:
    lit_config.note("another processor: tests of code for x86-64 are unsupported")
if os.geteuid() == 0:
    config.available_features.add("root")
else:
    lit_config.note("not root: tests that need root are unsupported")

report_help = subprocess.run(
    [os.path.join(build, "bin", "dftrace"), "report", "--help"], stdout=subprocess.PIPE, check=True
).stdout
if b"FRAME" in report_help:
    config.available_features.add("libdw")
else:
    lit_config.note("built without libdw: tests that need it are unsupported")

helper = subprocess.run([os.path.join(libdir, "dftrace", "dftrace-configuration"), __file__], stdout=subprocess.PIPE, check=False)
if b"without libyaml" not in helper.stdout:
    config.available_features.add("yaml")
else:
    lit_config.note("built without libyaml: tests that need yaml are unsupported")

perfetto = os.path.join(build, "readers", "perfetto")
if find("node") and os.path.isdir(perfetto):
    config.available_features.add("perfetto")
else:
    lit_config.note("no node, or no trace processor of Perfetto's: tests that need perfetto are unsupported")
for name in ("perfetto-same", "perfetto-loads", "perfetto"):
    substitute(f"%{name}", f"node {support}/{name}.mjs {perfetto}")
substitute("%same-as-json", f"{python} {support}/same-as-json")

speedscope_schema = os.path.join(build, "readers", "speedscope", "file-format-schema.json")
if os.path.isfile(speedscope_schema):
    config.available_features.add("speedscope")
else:
    lit_config.note("speedscope's schema could not be downloaded: tests that need speedscope are unsupported")
substitute("%speedscope-schema", speedscope_schema)

substitute("%build-for-aarch64", f"{python} {support}/build-for-aarch64 {build}")
if find("aarch64-linux-gnu-gcc") and find("qemu-aarch64"):
    config.available_features.add("aarch64")
else:
    lit_config.note("no compiler or emulator for AArch64: tests that need aarch64 are unsupported")

for feature, program in (("setpriv", "setpriv"), ("jq", "jq"), ("make", "make"), ("faketime", "faketime"), ("ccache", "ccache"), ("protoc", "protoc"), ("pkg-config", "pkg-config")):
    if find(program):
        config.available_features.add(feature)
    else:
        lit_config.note(f"no {program}: tests that need it are unsupported")

# --- the interpreter that is traced ---------------------------------------------------------------
traced = lit_config.params.get("python", "")
if traced:
    query = (
        "import os, sys, sysconfig; from importlib.util import find_spec as find; get = sysconfig.get_config_var;"
        "headers = sysconfig.get_paths()['include'];"
        "print(*sys.version_info[:2]); print(headers if os.path.exists(headers + '/Python.h') else '');"
        "print(get('EXT_SUFFIX')); print(find('pytest') is not None); print(find('greenlet') is not None);"
        "print(get('LIBDIR')); print(get('VERSION')); print(get('Py_ENABLE_SHARED'))"
    )
    answer = subprocess.run([traced, "-c", query], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    version, headers, suffix, has_pytest, has_greenlet, py_libdir, py_version, is_shared = answer
    substitute("%py", traced)
    substitute("%calls", f"{python} {tests}/python/Inputs/calls")
    for minor in range(11, int(version.split()[1]) + 1):
        config.available_features.add(f"python-3.{minor}")
    if lit_config.params.get("way"):
        config.environment["DFTRACER_PYTHON"] = lit_config.params["way"]
    else:
        config.available_features.add("rewrite")
    if headers:
        config.available_features.add("python-extension")
        substitute("%extension", f"-shared -fPIC -I{headers}")
        substitute("%extension-suffix", suffix)
    else:
        lit_config.note(f"no headers for {traced}: tests that need python-extension are unsupported")
    for feature, is_found in (("pytest", has_pytest), ("greenlet", has_greenlet)):
        if is_found == "True":
            config.available_features.add(feature)
        else:
            lit_config.note(f"no {feature} for {traced}: tests that need it are unsupported")
    old = [path for pattern in ("~/.pyenv/versions/3.7.*/bin/python3", "/usr/bin/python3.8", "/usr/bin/python3.9",
                                "/usr/bin/python3.10", "~/.pyenv/versions/3.8.*/bin/python3",
                                "~/.pyenv/versions/3.9.*/bin/python3", "~/.pyenv/versions/3.10.*/bin/python3")
           for path in glob.glob(os.path.expanduser(pattern))]
    if old:
        config.available_features.add("old-python")
        substitute("%old-py", old[-1])
        substitute("%oldest-py", old[0])
    else:
        lit_config.note("no Python 3.7 to 3.10: tests that need old-python are unsupported")
    libpython = f"{py_libdir}/libpython{py_version}.so"
    if headers and os.path.exists(libpython):
        config.available_features.add("libpython")
        substitute("%embedding", f"-I{headers} -L{py_libdir} -Wl,-rpath,{py_libdir} -lpython{py_version}")
    else:
        lit_config.note(f"no {libpython}: tests that need libpython are unsupported")
