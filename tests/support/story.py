"""lit's test format for this project: each test runs in a fresh directory of its own, with bash.

The directory is the current directory of the test. It is removed if the test passes and kept if it
fails. A test that exceeds its time limit fails.
"""

import os
import shutil

import lit.formats
import lit.Test
import lit.TestRunner


class Story(lit.formats.ShTest):
    def __init__(self):
        super().__init__(
            execute_external=True,
            preamble_commands=["rm -rf %t.dir && mkdir -p %t.dir && cd %t.dir"],
        )

    def execute(self, test, lit_config):
        result = super().execute(test, lit_config)
        expected = lit.Test.FAIL if test.isExpectedToFail() else lit.Test.PASS
        if result.code is expected:
            base = lit.TestRunner.getTempPaths(test)[1]
            shutil.rmtree(base + ".tmp.dir", ignore_errors=True)
            if os.path.exists(base + ".script"):
                os.unlink(base + ".script")
        return result
