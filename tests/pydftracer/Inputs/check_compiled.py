"""Checks the trace of compiled.py."""

import sys

import events

found = events.read(sys.argv[1])
operations = [(name, values) for name, category, values in found if category == "dynamo"]
assert ("function.sin", {"epoch": 1, "grad_enabled": 1}) in operations, operations
assert ("named.method.cos", {"grad_enabled": 1}) in operations, operations
names = [name for name, _ in operations]
assert any("relu" in name for name in names) and any("backward" in name for name in names), names
profile = {name: values for name, category, values in found if category == "PP"}
assert "aten::linear" in profile, profile
assert profile["aten::linear"]["input_size"].startswith("[[4]"), profile["aten::linear"]
assert 0 <= profile["aten::linear"]["total_cpu_percent"] <= 100, profile["aten::linear"]
