"""Programs in any language, held against the specs over their standard input and output.

- :mod:`~pyharness.programs.holding`: all of it, in order; :mod:`~pyharness.programs.program_self_test` comes first;
- :mod:`~pyharness.programs.program_walks`: every interleaving on small graphs, the spec's system beside the programs;
- :mod:`~pyharness.programs.program_walks`, :mod:`~pyharness.programs.counterexamples`: long ways, and those of bugs;
- :mod:`~pyharness.programs.operators`: a program that is one operator of a stream processor;
- :mod:`~pyharness.programs.difference`, :mod:`~pyharness.programs.case_runs`, :mod:`~pyharness.programs.difference`:
  what differs, repeated, made smaller, as a file; :mod:`~pyharness.programs.difference`: as a trace;
- :mod:`~pyharness.programs.vocabulary`: what is said of each protocol; a protocol is added there;
- :mod:`~pyharness.programs.watched_machine`: the spec's machines, which note what a program is to be asked;
- :mod:`~pyharness.programs.team`, :mod:`~pyharness.programs.node`: programs that play processes, and their answers;
- :mod:`~pyharness.programs.wire`: lines; ``answers.schema.json`` says what a program may write;
- :mod:`~pyharness.programs.child_process`, :mod:`~pyharness.programs.group_keeper`: processes, within bounds;
- ``starters/``: the same algorithm in four languages, which ``pyharness init --hold`` writes.
"""

from pyharness.programs.child_process import Limits
from pyharness.programs.difference import Case, Difference, case_of, document, read_case
from pyharness.programs.holding import Held, Plan, default_graphs, hold, hold_again
from pyharness.programs.operators import OPERATOR, OperatorCase, OperatorDifference
from pyharness.programs.vocabulary import HELD

__all__ = [
    "HELD",
    "OPERATOR",
    "Case",
    "Difference",
    "Held",
    "Limits",
    "OperatorCase",
    "OperatorDifference",
    "Plan",
    "case_of",
    "default_graphs",
    "document",
    "hold",
    "hold_again",
    "read_case",
]
