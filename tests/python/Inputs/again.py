import importlib
import sys

import start

start.foo()
for _ in range(5):
    importlib.reload(start)
    start.foo()

source = "def foo():\n    def inner_of_foo():\n        return 1\n    return inner_of_foo()\nfoo()\n"
code = compile(source, "<string>", "exec")
sizes = []
for _ in range(30):
    exec(code, {})
    sizes.append(len(code.co_consts[0].co_code))
for _ in range(20):
    exec(source, {})
function_code = code.co_consts[0].co_consts[1]
for _ in range(50):
    exec(function_code, {})
print("sizes are equal" if len(set(sizes)) == 1 else sizes)
