"""The functions of dftrace's C extension that this package records with.

``is_on`` is decided once, at import: it is false unless DFTRACER_ENABLE asks for a trace and the extension and
the runtime are there. The other modules must not call the functions below while it is false.
"""

import os
import sys
from typing import Any, Dict, Optional

is_asked: bool = os.environ.get("DFTRACER_ENABLE", "0").strip().lower() in ("1", "true", "on", "yes")

extension: Any = None
missing: Optional[str] = None  # why nothing is recorded although a trace was asked for
if is_asked:
    try:
        import dftrace
        from dftrace import _dftrace as extension  # type: ignore[attr-defined,no-redef]
    except ImportError as error:
        missing = f"the extension module of the package dftrace cannot be loaded ({error})"
    else:
        if not extension.runtime_is_there():
            missing = "libdftrace.so was not found"

is_on: bool = is_asked and missing is None

if missing is not None:
    print(f"dftrace: DFTRACER_ENABLE is set, but Python events are not recorded: {missing}. Use the Python package of "
          "a dftrace installation that has its extension module (PREFIX/lib/dftrace-python).", file=sys.stderr)


def record(name: str, category: str, start: int, values: Optional[Dict[str, Any]], age_ns: int = 0) -> None:
    """Records a region that ends now. It began at ``start``, a time from ``now``, or ``age_ns`` ago if that is 0."""
    extension.record_past(name, category, start, age_ns, age_ns, values)


def record_ago(name: str, category: str, age_ns: int, duration_ns: int, values: Optional[Dict[str, Any]]) -> None:
    """Records a region that began ``age_ns`` ago and has ended."""
    extension.record_past(name, category, 0, max(age_ns, 0), max(duration_ns, 0), values)


if is_on:
    now = extension.now
    metadata = dftrace.metadata
    instant = dftrace.instant
    flush = dftrace.flush
    is_first = extension.is_first
    set_log_file = extension.set_log_file
