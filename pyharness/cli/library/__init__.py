"""The library for notebooks, under ``import pyharness``: graphs, one check, and traces to look at.

::

    topologies(2)                                    the graphs of a size, a family, ...
    check("ChandyLamport", mutant="LateTurn")        one model with TLC, without Spark
    check("Mutex.tla")                               any module, with its own configuration
    conform("ChandyLamport", topology="n2-6-i1")     the implementation against the state graph
    read_trace("traces/LateTurn.itf.json")           a trace from a file
    compare(MyHandler, mode="aligned")               your own operator code against the spec's
    validate("run-1")                                the log of a real run against the spec
    read_table("verdicts")                           a table of a finished ``pyharness check``

Values are frozen, and a notebook shows them with their contents. Errors are those of :mod:`pyharness.base.errors`.
"""

from pyharness.base.topology import Topology
from pyharness.cli.library.log_validation import ValidatedLog, validate
from pyharness.cli.library.model_checks import Check, check, conform, to_pandas, topologies
from pyharness.cli.library.notebook_trace import Reordered, Trace, read_trace
from pyharness.cli.library.run_tables import read_table
from pyharness.hold.flink.operator_comparison import Comparison, Handler, compare

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
