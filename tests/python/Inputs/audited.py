import sys

events = []


def foo():
    return 1


def watch(event, args):
    if event == "exec":
        events.append(event)


def forbid(event, args):
    if event in ("code.__new__", "object.__setattr__"):
        raise RuntimeError(event)


sys.addaudithook(watch)
foo()
sys.addaudithook(forbid)
namespace = {}
exec("def later():\n    return 2\n", namespace)
print(foo(), namespace["later"](), events)
try:
    (lambda: 0).__code__.replace(co_name="x")
except RuntimeError as error:
    print("vetoed", error)
