"""Checks the trace of helped.py."""

import sys

import events

found = events.read(sys.argv[1])
assert [name for name, _, _ in found] == ["allocate", "fails"] + 2 * (3 * ["step"] + ["episode"]) + ["episode"], found
values = found[0][2]
assert found[0][1] == "setup" and values["mib"] == 32 and values["kept"] == 32 << 20, found[0]
assert values["cpu_ms"] > 0 and values["memory_added_kb"] > 30 << 10 and values["memory_kb"] > 30 << 10, values
assert found[1][1] == "operation" and found[1][2]["error"] == "KeyError", found[1]
assert found[2] == ("step", "pipeline", {"epoch": 1, "step": 1, "action": 0}), found[2]
values = found[5][2]
assert (values["epoch"], values["seed"], values["steps"], values["reward"], values["loss"]) == (1, 7, 3, 3.0, 1.5), values
counters = [event["args"] for event in events.read_lines(sys.argv[1]) if event["ph"] == "C" and event["name"] == "reward"]
assert [list(args.values())[0] for args in counters] == 2 * [0.0, 1.0, 2.0], counters
