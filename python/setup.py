"""Builds the extension module; pyproject.toml has the rest. Without a C compiler, the package is installed without it."""

import pathlib
import re

from setuptools import Extension, setup

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = sorted(str(path.relative_to(HERE)) for path in HERE.glob("dftrace/extension/*.c"))
VERSION = re.search(r"project\(dftrace VERSION (\S+)", (HERE.parent / "CMakeLists.txt").read_text()).group(1)

setup(
    version=VERSION,
    ext_modules=[
        Extension(
            "dftrace._dftrace",
            SOURCES,
            include_dirs=[str(HERE.parent / "include")],
            define_macros=[("_GNU_SOURCE", None)],
            extra_compile_args=["-fvisibility=hidden"],
            py_limited_api=True,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
