"""Model checking of distributed snapshot algorithms, and a Python implementation held against the specs.

What a notebook needs is here, and loaded when it is asked for: see :mod:`pyharness.cli.library`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyharness.cli.library import (
        Check,
        Comparison,
        Handler,
        Reordered,
        Topology,
        Trace,
        ValidatedLog,
        check,
        compare,
        conform,
        read_table,
        read_trace,
        to_pandas,
        topologies,
        validate,
    )

__version__ = "0.1.0"

__all__ = [
    "Check",
    "Comparison",
    "Handler",
    "Reordered",
    "Topology",
    "Trace",
    "ValidatedLog",
    "check",
    "compare",
    "conform",
    "read_table",
    "read_trace",
    "to_pandas",
    "topologies",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'pyharness' has no attribute {name!r}")
    return getattr(import_module("pyharness.cli.library"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
