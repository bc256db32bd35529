"""Compares the names, signatures and constants of the package dftracer with those of pydftracer itself, which is
installed from the Python package index for this test alone. Skipped (exit code 77) where that is not possible.

test_names.py BUILD
"""

import json
import os
import subprocess
import sys
import tempfile

SKIPPED = 77
PINNED = "pydftracer==2.0.6"  # later versions may have more names
MODULES = [
    "dftracer.python", "dftracer.python.logger", "dftracer.python.common", "dftracer.python.env", "dftracer.python.ai",
    "dftracer.python.ai_common", "dftracer.python.ai_init", "dftracer.python.dynamo", "dftracer.python.torch",
    "dftracer.python.torch.profiler", "dftracer.python.torch.common", "dftracer.python.dbg",
    "dftracer.python.dbg.logger", "dftracer.python.dbg.ai", "dftracer.python.dbg.torch",
]

DESCRIBE = r"""
import enum, importlib, inspect, json, sys, typing


def parameters(function):
    function = getattr(function, "__func__", function)
    return [[p.name, p.kind.name, "none" if p.default is p.empty else repr(p.default)]
            for p in inspect.signature(function).parameters.values()]


def describe_class(what):
    if issubclass(what, enum.Enum):
        return {member.name: member.value for member in what}
    members = {}
    for name in dir(what):
        if name in ("__init__", "__call__") or not name.startswith("_"):
            value = inspect.getattr_static(what, name)
            is_ours = inspect.isfunction(getattr(value, "__func__", value))
            members[name] = parameters(value) if is_ours else type(value).__name__
    return members


def describe(value):
    if isinstance(value, (bool, int, float, str)) and not isinstance(value, enum.Enum):
        return value
    if inspect.isclass(value):
        return describe_class(value)
    if inspect.isfunction(value):
        return parameters(value)
    return "an object"


def describe_node(node, found, path):
    found[path] = [str(node.cat), str(node.name)]
    for name, child in vars(node).items():
        if not name.startswith("_") and hasattr(child, "create_children"):
            describe_node(child, found, f"{path}.{name}")


found = {}
for name in json.loads(sys.argv[1]):
    module = importlib.import_module(name)
    for key, value in vars(module).items():
        origin = getattr(value, "__module__", name)
        is_foreign = not str(origin).startswith("dftracer") or inspect.ismodule(value)
        is_foreign = is_foreign or value is None or ("torch" in name and "torch" not in origin)  # only imported there
        if not key.startswith("_") and not is_foreign and not isinstance(value, (typing.TypeVar, typing.ParamSpec)):
            if not type(value).__module__.startswith("typing"):
                found[f"{name}.{key}"] = describe(value)
from dftracer.python import ai
describe_node(ai, found, "ai")
print(json.dumps(found))
"""


def describe(path):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("DFTRACER_")}
    environment.update(PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1")
    command = [sys.executable, "-c", DESCRIBE, json.dumps(MODULES)]
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


def install(target):
    """Returns why it is not possible; None: it is installed."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--retries", "1",
               "--timeout", "15", "--target", target, "--only-binary", ":all:", PINNED, "typing_extensions"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return "the Python package index does not answer"
    lines = done.stdout.decode(errors="replace").strip().splitlines()
    return None if done.returncode == 0 else f"pip cannot install pydftracer: {lines[-1] if lines else done.returncode}"


def compare(name, theirs, ours):
    """What our object lacks."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return [line for key, value in theirs.items() for line in
                (compare(f"{name}.{key}", value, ours[key]) if key in ours else [f"{name}.{key} is missing"])]
    return [] if theirs == ours else [f"{name} is {ours}, pydftracer's is {theirs}"]


def main():
    if sys.version_info < (3, 11):
        print("skipped: needs Python 3.11 or later")
        return SKIPPED
    with tempfile.TemporaryDirectory() as target:
        reason = install(target)
        if reason:
            print(f"skipped: {reason}")
            return SKIPPED
        theirs = describe(target)
    ours = describe(os.path.join(sys.argv[1], "lib", "dftrace-python"))
    assert len(theirs) > 300, f"only {len(theirs)} names found"
    differences = compare("", theirs, ours)
    print("\n".join(differences) or f"{len(theirs)} names are the same")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
