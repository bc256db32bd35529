"""The stub file describes the extension module and its fallback: every public name, and the parameters of every function."""

import ast
import inspect

import dftrace
from dftrace import _dftrace, nothing


def describe(arguments, skipped):
    """Parameters as (kind, name, whether there is a default)."""
    positional = arguments.posonlyargs + arguments.args
    first_default = len(positional) - len(arguments.defaults)
    for number, argument in enumerate(positional):
        if number >= skipped:
            kind = "POSITIONAL_ONLY" if number < len(arguments.posonlyargs) else "POSITIONAL_OR_KEYWORD"
            yield kind, argument.arg, number >= first_default
    if arguments.kwarg:
        yield "VAR_KEYWORD", arguments.kwarg.arg, False


def described(function, skipped):
    parameters = list(inspect.signature(function).parameters.values())[skipped:]
    return [(one.kind.name, one.name, one.default is not one.empty) for one in parameters]


with open(dftrace.__file__.replace(".py", ".pyi"), encoding="utf-8") as file:
    stubs = {node.name: node for node in ast.parse(file.read()).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
assert sorted(stubs) == sorted(dftrace.__all__), set(stubs) ^ set(dftrace.__all__)
assert sorted(name for name in vars(nothing) if not name.startswith("_")) == sorted(stubs)
assert all(getattr(dftrace, name) is getattr(_dftrace, name) for name in stubs)

compared = 0
for module in (_dftrace, nothing):
    for name, node in stubs.items():
        found = getattr(module, name)
        assert inspect.getdoc(found), name
        if isinstance(node, ast.FunctionDef):
            assert described(found, 0) == list(describe(node.args, 0)), (module, name, described(found, 0))
            compared += 1
            continue
        methods = {method.name: method for method in node.body}
        public = {one for one in dir(found) if not one.startswith("_")}
        assert public == {one for one in methods if not one.startswith("_")}, (module, name, public)
        for method_name, method in methods.items():
            member = getattr(found, method_name)
            if method_name.startswith("_") or method.decorator_list:
                continue
            assert inspect.getdoc(member), (name, method_name)
            skipped = 1 if module is nothing else 0
            assert described(member, skipped) == list(describe(method.args, 1)), (module, method_name, described(member, skipped))
            compared += 1
assert compared == 2 * 22, compared
