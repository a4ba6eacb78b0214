"""Run TLC, and read everything it prints: results, traces, coverage, state graphs."""

from __future__ import annotations

from pyharness.tla.tlc.coverage import ActionCount, Coverage
from pyharness.tla.tlc.digest import Digest
from pyharness.tla.tlc.dump import DumpGraph, DumpNode, Edge, load_graph, read_graph, read_states
from pyharness.tla.tlc.files import parse_trace, read_simulation, read_trace
from pyharness.tla.tlc.messages import MessageReader, TlcMessage
from pyharness.tla.tlc.outcome import EndedBy, Mode, Outcome
from pyharness.tla.tlc.result import Progress, Result, Violation
from pyharness.tla.tlc.run import Simulation, TlcRun, run_tlc
from pyharness.tla.tlc.trace import Trace, TraceStep

__all__ = [
    "ActionCount",
    "Coverage",
    "Digest",
    "DumpGraph",
    "DumpNode",
    "Edge",
    "EndedBy",
    "MessageReader",
    "Mode",
    "Outcome",
    "Progress",
    "Result",
    "Simulation",
    "TlcMessage",
    "TlcRun",
    "Trace",
    "TraceStep",
    "Violation",
    "load_graph",
    "parse_trace",
    "read_graph",
    "read_simulation",
    "read_states",
    "read_trace",
    "run_tlc",
]
