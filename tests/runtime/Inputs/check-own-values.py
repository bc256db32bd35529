"""Checks the values of values-belong-to-their-call.cc: check-own-values.py FILE, as show-values prints them."""

import collections
import json
import sys

calls = collections.defaultdict(list)
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        name, _, values = line.rstrip("\n").partition(" ")
        calls[name].append(json.loads(values) if values else None)


def expect(name, found, wanted):
    if found != wanted:
        sys.exit(f"{name}: found {found!r:.300}, expected {wanted!r:.300}")


expect("twice", sorted(call["n"] for call in calls["twice"]),
       [first + n for first in (0, 10000000, 20000000, 30000000) for n in range(3000)])
for call in calls["twice"]:
    text = str(call["n"])
    expect("twice", call, {"n": call["n"], "text": text, "own": text, "return": 2 * call["n"]})

# Beyond the frames that a thread has, calls have no values.
expect("deep", len(calls["deep"]), 2001)
kept = [call for call in calls["deep"] if call]
if not 900 < len(kept) < 1100:
    sys.exit(f"deep: {len(kept)} calls have values")
expect("deep", kept, [{"n": n, "return": n + 1} for n in range(2000, 2000 - len(kept), -1)])

expect("throws", calls["throws"], [{"n": n} if n % 2 else {"n": n, "return": n + 1} for n in range(10)])
# A call that was left by a jump ends when a later one shows it, without values.
expect("jumps", calls["jumps"], [None if n % 2 else {"n": n, "return": n + 1} for n in range(11)])
# The call in which a process comes about ends without values there; those around it have theirs.
expect("forks", [call for call in calls["forks"] if call], [{"n": 7, "return": 21}])
expect("around", sorted(calls["around"], key=lambda call: call["return"]),
       [{"n": 7, "return": 15}, {"n": 7, "return": 22}])
handled = [call for call in calls["handler"] if call]  # the others came while the stack was too deep
expect("handler", handled, [{"number": 27}] * max(1, len(handled)))
