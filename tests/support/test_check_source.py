#!/usr/bin/env python3
"""scripts/check-source finds commands of tests whose failure the shell ignores, and references of documents that lead
nowhere. It reports nothing else."""

import importlib.machinery
import importlib.util
import os
import sys
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCRIPTS = os.path.join(os.path.dirname(TESTS), "scripts")
sys.path.insert(0, SCRIPTS)

import document_links  # noqa: E402
import ignored_failures  # noqa: E402

loader = importlib.machinery.SourceFileLoader("check_source", os.path.join(SCRIPTS, "check-source"))
check_source = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_source", loader))
loader.exec_module(check_source)

IGNORED = [
    "for name in a b; do make $name && ./$name; done",
    "while read name; do make $name && ./$name; done < names.txt",
    "make && ./prog; cat out.txt",
    "for x in 1 2; do a; b && c; d; done",
    "%each-level 'cc prog.c && ./prog; cat out.txt'",
    "bash -c 'for x in 1 2; do a && b; done'",
    "for x in 1 2; do a; done && b",
    "if true; then for x in 1 2; do a && b; done; fi",
    "( a && b; c )",
    'for x in "a;b"; do a "$x" && b; done',
    "for x in 1 2; do ! a $x; done",
    "for x in 1 2; do a; ! b $x; done",
    "! a; b",
    "f() { ! a; b; }",
]
NOTICED = [
    "for name in a b; do make $name && ./$name || exit 1; done",
    "for name in a b; do make $name; ./$name; done",
    "make && ./prog && cat out.txt",
    "check() { make && ./prog; }",
    "if a && b; then c; fi",
    "while a && b; do c; done",
    "until [ -s out.txt ]; do sleep 0.01; done && kill $pid",
    "%each-level 'cc prog.c && ./prog'",
    "awk '$1 && $2; END { print }' out.txt",
    "python3 -S -c 'a and b; c'",
    "{ a && b; } | FileCheck",
    "./prog > out.txt 2>&1; cat out.txt",
    "test $(a && b; c) = 1",
    "for x in 1 2; do ! a $x || exit 1; done",
    "if ! a; then b; fi",
    "while ! a; do sleep 1; done",
    "! a",
    "f() { ! a; }",
]


class IgnoredFailures(unittest.TestCase):
    def find(self, script):
        return list(ignored_failures.find("x.test", "# comment\n# RUN: " + script.replace("; ", "; \\\n# RUN:   ")))

    def test_failures_that_are_ignored_are_found(self):
        for script in IGNORED:
            with self.subTest(script):
                self.assertTrue(self.find(script))

    def test_failures_that_end_the_test_are_not(self):
        for script in NOTICED:
            with self.subTest(script):
                self.assertEqual(self.find(script), [])

    def test_scripts_are_checked_where_they_end_at_the_first_failure(self):
        body = "for x in 1 2; do\n    a && b\ndone\n"
        self.assertEqual(list(ignored_failures.find("x", "#!/usr/bin/env bash\nset -eu\n" + body)), [4])
        self.assertEqual(list(ignored_failures.find("x", "#!/usr/bin/env bash\nset -u\n" + body)), [])


class SystemCalls(unittest.TestCase):
    def find(self, path, text):
        return list(check_source.check_calls(path, text))

    def test_they_are_found_outside_os(self):
        for path in ("runtime/session/a.c", "tool/run/a.c", "spool/a.h", "bench/a.c"):
            for text in ("x = syscall(186);", "y(SYS_gettid);", "dft_kernel(\n 186, 0, 0, 0, 0);"):
                with self.subTest(path + ": " + text):
                    self.assertEqual(len(self.find(path, text)), 1)

    def test_others_are_not(self):
        for path, text in (("os/a.h", "syscall(SYS_gettid);"), ("bench/programs/a.h", "syscall(SYS_gettid);"),
                           ("runtime/a.c", "dft_kernel_pid();"), ("runtime/a.c", "/* syscall(SYS_gettid) */"),
                           ("runtime/a.c", 'say("syscall(1)");')):
            with self.subTest(path + ": " + text):
                self.assertEqual(self.find(path, text), [])


FILES = {"README.md": "# Title\n", "docs/GUIDE.md": "## Less `of` it, now\n", "spool/format.h": "", "tests/tool/a-b.test": ""}


class DocumentLinks(unittest.TestCase):
    def find(self, text):
        return list(document_links.find("docs/GUIDE.md", FILES["docs/GUIDE.md"] + text, list(FILES), FILES.get))

    def test_references_that_lead_nowhere_are_found(self):
        for text in ("`spool/gone.c`", "`tests/tool/b`", "[x](GONE.md)", "[x](../README.md#gone)", "[x](#gone)", "`make spool/gone.c`"):
            with self.subTest(text):
                self.assertEqual([line for line, _ in self.find(text)], [2])

    def test_others_are_not(self):
        for text in ("`spool/format.h`", "`spool/*.h`", "`spool/`", "`tests/tool/a-b`", "[x](../README.md#title)", "[x](#less-of-it-now)",
                     "[x](https://example.org)", "`spool/NAME.c`", "`src/io/*`", "```\n`spool/gone.c`\n```\n"):
            with self.subTest(text):
                self.assertEqual(self.find(text), [])


if __name__ == "__main__":
    unittest.main()
