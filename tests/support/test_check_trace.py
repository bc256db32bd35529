#!/usr/bin/env python3
"""Checks check-trace: a good trace passes, and each kind of mistake is found."""

import gzip
import os
import subprocess
import sys
import tempfile
import unittest

CHECK_TRACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check-trace")


def metadata(kind, tid, name):
    return f'{{"name":"{kind}","ph":"M","pid":7,"tid":{tid},"args":{{"name":"{name}"}}}}'


def call(name, start, duration, tid=7, category="FUNC", args='"file":"a.c","line":3'):
    return (
        f'{{"name":"{name}","cat":"{category}","ph":"X","pid":7,"tid":{tid},"ts":{start},"dur":{duration},'
        f'"args":{{{args}}}}}'
    )


def times_last(name, start, duration):
    """A call in the writer's layout; check-trace parses only the first of several such lines."""
    head = f'{{"name":"{name}","cat":"FUNC","ph":"X","pid":7,"args":{{"file":"a.c","line":3}},"tid":7'
    return f'{head},"dur":{duration},"ts":{start}}}'


def aggregate(name, args):
    return f'{{"name":"calls of {name}","cat":"FUNC","ph":"C","pid":7,"tid":7,"ts":3.000,"args":{{{args}}}}}'


GOOD = [
    metadata("process_name", 7, "prog"),
    metadata("thread_name", 7, "prog"),
    metadata("thread_name", 8, "worker"),
    call("start", "1.000", "0.000", category="dftrace"),
    call("leaf", "3.000", "1.500"),
    call("leaf", "4.500", "0.500"),
    call("main", "2.000", "5.000"),
    call("run", "2.500", "9.000", tid=8),
    call("end", "9.000", "0.000", category="dftrace"),
]
ADDED_UP = [
    *GOOD[:-1],
    aggregate("leaf", '"count":3,"total_us":0.010,"min_us":0.001,"max_us":0.006'),
    aggregate("leaf", '"count":4,"estimated_us":0.012'),
    call("end", "9.000", "0.000", category="dftrace", args='"num_events":4,"aggregated":7,"dropped":0'),
]


def lay_out(lines):
    return "[\n" + "\n,\n".join(lines) + "\n]"


class CheckTrace(unittest.TestCase):
    def run_on(self, data, *arguments, name="trace.pfw"):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, name)
            with open(path, "wb") as file:
                file.write(data if isinstance(data, bytes) else data.encode())
            command = [sys.executable, "-S", CHECK_TRACE, path, *arguments]
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        return result.returncode, result.stdout.decode(), result.stderr.decode()

    def assert_good(self, data, *arguments, **named):
        code, output, error = self.run_on(data, *arguments, **named)
        self.assertEqual((code, error), (0, ""))
        return output

    def assert_refused(self, data, message, *arguments, **named):
        code, _, error = self.run_on(data, *arguments, **named)
        self.assertEqual(code, 1, error)
        self.assertIn(message, error)

    def changed(self, old, new):
        text = lay_out(GOOD)
        self.assertIn(old, text)
        return text.replace(old, new)

    def test_good_trace_and_its_tree(self):
        tree = self.assert_good(lay_out(GOOD), "--tree", "--show", "args.file")
        self.assertEqual(
            tree,
            "process prog thread prog\n  main args.file=a.c\n    leaf args.file=a.c\n    leaf args.file=a.c\n"
            "process prog thread worker\n  run args.file=a.c\n",
        )

    def test_calls_that_are_added_up(self):
        text = lay_out(ADDED_UP)
        self.assert_good(text, "--count", "leaf=9", "--count", "main=1")
        for old, new, message in (
            ('"count":3', '"count":0', "an aggregate of no call"),
            ('"count":3', '"count":2.5', "'count' is '2.5', expected int"),
            ('"total_us":0.010', '"total_us":0.019', "3 calls of 1 to 6 ns cannot take 19 ns"),
            ('"total_us":0.010', '"total_us":0.002', "3 calls of 1 to 6 ns cannot take 2 ns"),
            ('"estimated_us":0.012', '"estimated_us":12', "'estimated_us' is 12, expected microseconds"),
            ('"aggregated":7', '"aggregated":8', "7 calls, but aggregated of `end` is 8"),
            ('"num_events":4', '"num_events":5', "4 calls, but num_events of `end` is 5"),
        ):
            self.assertIn(old, text)
            self.assert_refused(text.replace(old, new), message)

    def test_several_gzip_members(self):
        text = lay_out(GOOD).encode()
        data = gzip.compress(text[:300]) + gzip.compress(text[300:])
        self.assert_good(data, name="trace.pfw.gz")
        self.assert_refused(data[:-9], "not a complete gzip file", name="trace.pfw.gz")
        self.assert_refused(text, "not a complete gzip file", name="trace.pfw.gz")
        self.assert_refused(data, "does not end in .gz")

    def test_counts(self):
        text = lay_out(GOOD)
        self.assert_good(text, "--count", "leaf=2", "--count", "main=1", "--count", "none=0")
        self.assert_refused(text, "2 events of leaf, expected 3", "--count", "leaf=3")
        self.assert_good(text, "--only", "main", "leaf", "run")
        self.assert_refused(text, "1 events of run, which should not be there", "--only", "main", "leaf")
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("2 leaf\n1 main\n1 run\n")
            file.flush()
            self.assert_good(text, "--counts-file", file.name)
            file.write("1 more\n")
            file.flush()
            self.assert_refused(text, "0 events of more, expected 1", "--counts-file", file.name)

    def test_calls_of_another_trace(self):
        text = lay_out(GOOD)
        with tempfile.NamedTemporaryFile("w", suffix=".pfw") as file:
            file.write(text)
            file.flush()
            self.assert_good(text, "--calls-of", file.name)
            more = lay_out(GOOD + [call("next", "7.000", "0.002")])
            self.assert_refused(more, "1 events of next, expected 0", "--calls-of", file.name)
            self.assert_refused(text, "expected 4", "--calls-of", file.name, "--calls-of", file.name)
            file.write("\n")
            file.flush()
            self.assert_refused(text, "the last ']'", "--calls-of", file.name)

    def test_layout(self):
        text = lay_out(GOOD)
        self.assert_refused(text + "\n", "the last ']'")
        self.assert_refused(text[2:], "first line")
        self.assert_refused(text[:-2], "the last ']'")
        self.assert_refused(text[:-2] + "\n,\n]", "before the closing")
        self.assert_refused(text.replace("}\n,\n", "},\n", 1), "line 2")
        self.assert_refused(text.replace("\n,\n", "\n\n", 1), "comma alone")
        self.assert_refused("", "first line")
        self.assert_refused("[\n]", "first line")

    def test_strict_json(self):
        self.assert_refused(self.changed('"line":3', '"line":NaN'), "NaN")
        self.assert_refused(self.changed('"line":3', '"line":03'), "line 8")
        self.assert_refused(self.changed('"file":"a.c"', '"line":4'), "stands twice")
        self.assert_refused(self.changed("a.c", "a\tc"), "control character")
        self.assert_refused(self.changed("a.c", "\\ud83d\\ude00"), "surrogate")
        self.assert_refused(lay_out(GOOD).encode().replace(b"a.c", b"a\xff"), "UTF-8")

    def test_fields(self):
        self.assert_refused(self.changed('"ts":3.000', '"ts":3.0'), "three decimals")
        self.assert_refused(self.changed('"ts":3.000', '"ts":3000'), "three decimals")
        self.assert_refused(self.changed('"ts":3.000', '"ts":-3.000'), "three decimals")
        self.assert_refused(self.changed('"dur":1.500', '"dur":"1.500"'), "'dur'")
        self.assert_refused(self.changed('"dur":1.500,', ""), "'dur'")
        self.assert_refused(self.changed('"cat":"FUNC",', ""), "'cat'")
        self.assert_refused(self.changed('"tid":8', '"tid":"8"'), "'tid'")
        self.assert_refused(self.changed('"tid":8', '"tid":0'), "kernel ids")
        self.assert_refused(self.changed('"pid":7', '"pid":true'), "'pid'")
        self.assert_refused(self.changed('"ph":"X"', '"ph":"B"'), "unexpected phase")

    def test_lines_that_differ_in_their_times(self):
        first = times_last("twin", "20.000", "1.000")
        second = times_last("twin", "21.000", "1.000")
        text = lay_out(GOOD + [first, second])
        self.assertIn("  twin\n  twin\n", self.assert_good(text, "--tree", "--count", "twin=2"))
        outside = times_last("twin", "20.500", "1.000")
        self.assert_refused(lay_out(GOOD + [first, outside]), "twin (line 22, 20500..21500 ns) reaches beyond")
        for wrong, message in (
            (second.replace("21.000", "21.0"), "three decimals"),
            (second.replace("21.000", "021.000"), "line 22"),
            (second.replace("1.000,", "-1.000,"), "three decimals"),
            (second.replace('"dur"', '"ts"'), "stands twice"),
            (second.replace('"ts"', '"dur"'), "stands twice"),
            (second[:-1], "line 22"),
            (second + "}", "line 22"),
            (second.replace('"tid":7', '"tid":9'), "no thread_name"),
        ):
            self.assert_refused(lay_out(GOOD + [first, wrong]), message)

    def test_names_and_frame(self):
        self.assert_refused(lay_out(GOOD[1:]), "no process_name")
        self.assert_refused(lay_out(GOOD[:2] + GOOD[3:]), "no thread_name")
        self.assert_refused(lay_out(GOOD + [metadata("thread_name", 8, "other")]), "a second thread_name")
        self.assert_refused(lay_out(GOOD[:3] + GOOD[4:]), "0 events 'start'")
        self.assert_refused(lay_out(GOOD + GOOD[-1:]), "2 events 'end'")
        self.assert_refused(lay_out(GOOD[:-1]), "0 events 'end'")
        self.assert_good(lay_out(GOOD[:-1]), "--no-end")

    def test_nesting(self):
        overlapping = lay_out(GOOD + [call("late", "6.999", "0.002")])
        self.assert_refused(overlapping, "late (line 20, 6999..7001 ns) reaches beyond main")
        self.assert_good(overlapping, "--overlap-ok")
        self.assert_good(lay_out(GOOD + [call("next", "7.000", "0.002")]))

    def test_first_of_two_equal_events_is_the_parent(self):
        tree = self.assert_good(
            lay_out(GOOD + [call("outer", "20.000", "1.000"), call("inner", "20.000", "1.000")]), "--tree"
        )
        self.assertIn("  outer\n    inner\n", tree)


if __name__ == "__main__":
    unittest.main()
