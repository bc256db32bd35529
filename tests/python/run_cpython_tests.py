"""CPython's own tests have the same outcomes with hooks in every function as without: those of the running interpreter's `test`
package. DFTRACE_CPYTHON_TESTS names other files than the short list; `long` is the long list."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile

SHORT = ("test_generators test_coroutines test_exceptions test_traceback test_with test_contextlib test_json test_functools").split()
LONG = SHORT + (
    "test_asyncgen test_augassign test_bdb test_bisect test_call test_class test_closure test_cmd test_collections "
    "test_contextlib_async test_context test_copy test_copyreg test_csv test_dataclasses "
    "test_decorators test_defaultdict test_descr test_dict test_difflib test_doctest test_dynamic test_enum "
    "test_except_star test_exception_group test_exception_hierarchy test_exception_variations test_extcall test_finalization "
    "test_fstring test_functools test_funcattrs test_gc test_generator_stop test_genericalias test_genexps test_grammar test_heapq "
    "test_inspect test_io test_iter test_itertools test_keywordonlyarg test_lambda test_listcomps test_logging "
    "test_module test_namedtuple test_opcache test_operator test_ordered_dict test_patma test_pdb test_pickle test_pickletools "
    "test_positional_only_arg test_pprint test_profile test_pyclbr test_queue test_raise test_re test_reprlib "
    "test_richcmp test_runpy test_sched test_scope test_set test_setcomps test_signal test_sort "
    "test_string test_struct test_subclassinit test_super test_sys_setprofile test_sys_settrace test_textwrap "
    "test_thread test_threading test_threading_local test_threadsignals test_tokenize test_trace test_tuple "
    "test_type_aliases test_type_params test_types test_typing test_unittest test_unpack test_unpack_ex test_userdict test_weakref "
    "test_weakset test_yield_from test_ast test_unparse test_code "
    "test_dis test_compile test_peepholer test_sys test_marshal test_monitoring test_audit test_subprocess test_asyncio").split()

TIMEOUT = 1200  # seconds for a file, on a machine that does other things as well

# Tests in which a debugger jumps out of a yield, or a monitoring callback raises: an exit may belong to no enter.
UNPAIRED = ("test_sys_settrace", "test_monitoring", "test_bdb", "test_pdb")

# Tests that look at bytecode, at the size of a frame, or at equality after marshalling: they differ. Those of test_code
# replace the bytecode of functions, but not their exception table, which may crash the interpreter.
READS_BYTECODE = ("test_dis", "test_compile", "test_peepholer", "test_sys.", "test_marshal", "test_monitoring", "test_code",
                  "test_positional_only_arg.PositionalOnlyTestCase.test_annotations_constant_fold")


def run(name, mode, directory):
    """The outcomes; None if the tests could not be loaded or the process died, with its last output."""
    path = os.path.join(directory, mode + ".json")
    log = os.path.join(directory, mode + ".log")
    work = os.path.join(directory, mode)
    os.mkdir(work)
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cpython_outcomes.py")
    with open(log, "wb") as output:
        try:
            status = subprocess.run([sys.executable, "-B", program, name, mode, path], stdin=subprocess.DEVNULL, stdout=output,
                                    stderr=subprocess.STDOUT, cwd=work, timeout=TIMEOUT).returncode
        except subprocess.TimeoutExpired:
            status = f"none after {TIMEOUT} s"
    if status == 0 and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            return json.load(file), ""
    with open(log, encoding="utf-8", errors="replace") as file:
        return None, f"status {status}: " + file.read()[-2000:]


def compare(name):
    """Lines about differences, and the counts of the hooks."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        plain, why = run(name, "plain", directory)
        if plain is None:
            return None, f"does not run without hooks either: {why[-300:]}"
        hooked, why = run(name, "hooked", directory)
    if hooked is None:
        return [f"{name}: hooked: {why}"], {}
    differences = []
    for test in sorted(set(plain["outcomes"]) | set(hooked["outcomes"])):
        before, after = plain["outcomes"].get(test, "not run"), hooked["outcomes"].get(test, "not run")
        if before != after:
            text = hooked["texts"].get(test, "") or plain["texts"].get(test, "")
            differences.append(f"{test}: {before} without hooks, {after} with them\n{text[-1500:]}")
    hooked["counts"]["tests"] = len(hooked["outcomes"])
    return differences, hooked["counts"]


def find_names():
    wanted = os.environ.get("DFTRACE_CPYTHON_TESTS", "").split()
    if wanted == ["long"]:
        wanted = LONG
    names = [name for name in wanted or SHORT if importlib.util.find_spec("test." + name)]
    return sorted(set(names), key=names.index)


def main():
    if not importlib.util.find_spec("test") or not find_names():
        print(f"skipped: {sys.executable} has no test package (Debian: libpython3.11-testsuite)")
        return 77
    wrong = 0
    for name in find_names():
        differences, counts = compare(name)
        if differences is None:
            print(f"{name}: skipped, {counts}")
            continue
        # An open call is that of a thread or callback which is still running; none may end twice.
        print(f"{name}: {counts.get('tests')} tests, {counts}", flush=True)
        if counts and (counts["refused"] or counts["unmatched"] and name not in UNPAIRED):
            differences.append(f"{name}: a function without hooks, or an exit without its enter")
        for difference in differences:
            expected = difference.removeprefix("test.").startswith(READS_BYTECODE)
            print(("  expected: " if expected else "  DIFFERS: ") + difference, flush=True)
            wrong += not expected
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
