"""Long functions, many constants, deep recursion, small stacks of threads."""

import sys
import threading
import unittest

import _rewrite_test
import rewritten


def long_function(units):
    """A function with jumps forward and backward over more than `units` code units."""
    body = "\n".join("            x = x + 1" for _ in range(units // 4 + 1))
    return ("def f(n):\n    x = 0\n    for i in range(n):\n        if i % 2 == 0:\n" + body + "\n        else:\n            x = -x\n"
            "    return x\n"
            "def g(n):\n    x = 0\n    while n:\n        try:\n            n -= 1\n            yield n\n" + body + "\n"
            "        except ValueError:\n            yield from (7, 8)\n    return x\n")


class Shapes(rewritten.Case):
    def test_jumps_of_any_length(self):
        for units in (1, 235, 245, 250, 255, 260, 300, 1000, 66000):
            results = []
            for hooked in (False, True):
                names = rewritten.run(long_function(units), hooked)
                generator = names["g"](3)
                results.append((names["f"](5), next(generator), generator.throw(ValueError), list(generator)))
            self.assertEqual(*results)
        self.check_pairs()

    def test_many_constants(self):
        for count in (1, 250, 252, 254, 255, 256, 300, 66000):
            source = "def f(a):\n    return [" + ", ".join(f"a + {i}.5" for i in range(count)) + "][-1]\n"
            self.assertEqual(rewritten.run(source, True)["f"](1), count + 0.5)
        self.check_pairs(entered=8)

    def test_every_size_of_jump_around_a_prefix(self):
        """Jumps grow by hooks, which may move other jumps over the next limit."""
        for lines in range(50, 75):
            body = "".join(f"        if n == {i}:\n            return n + {i}\n" for i in range(lines))
            source = "def f(n):\n    while n >= 0:\n" + body + "        n -= 1\n    return -1\n"
            plain, hooked = rewritten.run(source, False)["f"], rewritten.run(source, True)["f"]
            for n in (-1, 0, 5, lines - 1, lines + 3):
                self.assertEqual(plain(n), hooked(n))
        self.check_pairs()

    def test_recursion_of_100000(self):
        @rewritten.hook
        def down(n):
            return 0 if n == 0 else down(n - 1) + 1

        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(100200)
        try:
            self.assertEqual(down(99999), 99999)
        finally:
            sys.setrecursionlimit(limit)
        self.check_pairs(entered=100000)
        self.assertRaises(RecursionError, down, 5000)
        self.check_pairs()

    def test_recursion_with_a_small_stack(self):
        @rewritten.hook
        def down(n):
            return 0 if n == 0 else down(n - 1) + 1

        results = []
        limit, size = sys.getrecursionlimit(), threading.stack_size(256 * 1024)
        sys.setrecursionlimit(100200)
        try:
            thread = threading.Thread(target=lambda: results.append(down(99999)))
            thread.start()
            thread.join()
        finally:
            sys.setrecursionlimit(limit)
            threading.stack_size(size)
        self.assertEqual(results, [99999])
        self.check_pairs(entered=100000)

    def test_threads(self):
        @rewritten.hook
        def numbers(limit):
            for i in range(limit):
                yield i

        totals = []
        threads = [threading.Thread(target=lambda: totals.append(sum(numbers(1000)))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(totals, [499500] * 4)
        self.check_pairs(entered=4, resumed=4000)

    def test_nothing_is_imported(self):
        before = set(sys.modules)
        code = compile("def f(): yield 1", "f", "exec").co_consts[0]
        self.assertIsNotNone(_rewrite_test.rewrite(code))
        self.assertEqual(set(sys.modules), before)


if __name__ == "__main__":
    unittest.main()
