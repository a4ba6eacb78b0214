"""Programs in any language, compared with the specs over their standard input and output.

- :mod:`~pyharness.hold.programs.holding`: all of it, in order; :mod:`~pyharness.hold.programs.program_self_test` comes first;
- :mod:`~pyharness.hold.programs.program_walks`: every interleaving on small graphs, the spec's system beside the programs,
  and long random ways;
- :mod:`~pyharness.hold.programs.operators`: a program that is one operator of a stream processor;
- :mod:`~pyharness.hold.programs.difference`, :mod:`~pyharness.hold.programs.case_runs`, :mod:`~pyharness.hold.programs.difference`:
  differences, repeated, made smaller, as a file; :mod:`~pyharness.hold.programs.difference`: as a trace;
- :mod:`~pyharness.hold.programs.vocabulary`: the messages of each protocol; a protocol is added there;
- :mod:`~pyharness.hold.programs.watched_machine`: the spec's machines, which record the requests to a program;
- :mod:`~pyharness.hold.programs.team`, :mod:`~pyharness.hold.programs.node`: programs that play processes, and their answers;
- :mod:`~pyharness.hold.programs.wire`: lines; ``answers.schema.json`` is the schema of a program's lines;
- :mod:`~pyharness.hold.programs.child_process`, :mod:`~pyharness.hold.programs.group_keeper`: processes, within bounds;
- ``starters/``: the same algorithm in four languages, which ``pyharness init --hold`` writes.
"""

from pyharness.hold.programs.child_process import Limits
from pyharness.hold.programs.difference import Difference, ProgramCase, case_of, document, read_case
from pyharness.hold.programs.holding import HoldPlan, HoldResult, default_graphs, hold, hold_again
from pyharness.hold.programs.operators import OPERATOR, OperatorCase, OperatorDifference
from pyharness.hold.programs.vocabulary import HELD

__all__ = [
    "HELD",
    "OPERATOR",
    "Difference",
    "HoldPlan",
    "HoldResult",
    "Limits",
    "OperatorCase",
    "OperatorDifference",
    "ProgramCase",
    "case_of",
    "default_graphs",
    "document",
    "hold",
    "hold_again",
    "read_case",
]
