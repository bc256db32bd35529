"""Runs one file of CPython's own tests and writes the outcome of each of its tests as JSON: `cpython_outcomes.py NAME hooked|plain
RESULT`. Hooked: every function that is executed from now on has hooks, those of this program's imports too."""

import sys

name, mode, path = sys.argv[1:]
if mode == "hooked":
    import _rewrite_test

    if not _rewrite_test.supports():
        sys.exit("this interpreter's bytecode is not known")
    _rewrite_test.rewrite_all((lambda: 0).__code__)

import json  # noqa: E402
import unittest  # noqa: E402
import test.support  # noqa: E402

test.support.use_resources = []
test.support.verbose = 0


class Outcomes(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.outcomes = {}
        self.texts = {}

    def note(self, test, outcome, text=""):
        identifier = str(test.id()) if hasattr(test, "id") else str(test)
        if self.outcomes.get(identifier, "ok") in ("ok", "skipped"):
            self.outcomes[identifier] = outcome
            self.texts[identifier] = text

    def addSuccess(self, test):
        self.note(test, "ok")

    def addFailure(self, test, err):
        self.note(test, "failed", self._exc_info_to_string(err, test))

    def addError(self, test, err):
        self.note(test, "error", self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        self.note(test, "skipped", reason)

    def addExpectedFailure(self, test, err):
        self.note(test, "expected failure")

    def addUnexpectedSuccess(self, test):
        self.note(test, "unexpected success")

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.note(test, "failed", self._exc_info_to_string(err, test))


def main():
    result = Outcomes()
    suite = unittest.TestLoader().loadTestsFromName("test." + name)
    suite.run(result)
    found = {"outcomes": result.outcomes, "texts": result.texts}
    if mode == "hooked":
        found["counts"] = _rewrite_test.counts()
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main()
