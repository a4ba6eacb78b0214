"""The committed traces, by name."""

from __future__ import annotations

from functools import cache

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.tla.tlc import read_trace

TRACES = ROOT / "traces"
NAMES = [path.name.removesuffix(".itf.json") for path in sorted(TRACES.glob("*.itf.json"))]


@cache
def read(name):
    """The trace and its meta."""
    return read_trace(TRACES / f"{name}.itf.json")
