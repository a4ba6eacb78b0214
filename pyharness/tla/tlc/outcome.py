"""The possible outcomes of a run of TLC, how it searched, and how it ended."""

from __future__ import annotations

from enum import Enum
from typing import Final

NO_DEADLOCK: Final = "freedom from deadlock"
"""The claim of a configuration that has deadlock looked for; no definition has such a name."""


class Outcome(Enum):
    """The result of one run, in four groups, and ``SUCCESS``, which has all its evidence.

    *Violations* (:attr:`is_violation`): the specification does not have a property.
    *Errors of the specification* (:attr:`is_spec_error`): TLC could not read or evaluate it.
    *Failures of the tool* (:attr:`is_tool_failure`): out of memory, stack overflow, bad option, a bug.
    ``INCOMPLETE``: none of these was reported, and the evidence of success is not all there.
    """

    SUCCESS = "success"
    INVARIANT = "invariant violated"
    ACTION_PROPERTY = "action property violated"
    TEMPORAL = "temporal property violated"
    DEADLOCK = "deadlock"
    ASSUMPTION = "assumption false"
    ASSERTION = "assertion failed"
    POSTCONDITION = "postcondition false"
    PARSE_ERROR = "specification not parsed"
    CONFIG_ERROR = "configuration rejected"
    EVALUATION_ERROR = "evaluation failed"
    OUT_OF_MEMORY = "out of memory"
    STACK_OVERFLOW = "stack overflow"
    TOOL_ERROR = "tool error"
    INCOMPLETE = "incomplete"

    @property
    def is_violation(self) -> bool:
        """Whether the run shows that the specification lacks a property."""
        return self in _VIOLATIONS

    @property
    def is_spec_error(self) -> bool:
        """Whether the user's input to TLC is at fault."""
        return self in {Outcome.PARSE_ERROR, Outcome.CONFIG_ERROR, Outcome.EVALUATION_ERROR}

    @property
    def is_tool_failure(self) -> bool:
        """Whether TLC or the Java machine could not do its part."""
        return self in {Outcome.OUT_OF_MEMORY, Outcome.STACK_OVERFLOW, Outcome.TOOL_ERROR}


class Mode(Enum):
    """The kind of search that TLC made."""

    BREADTH_FIRST = "breadth-first"
    DEPTH_FIRST = "depth-first"
    SIMULATION = "simulation"


class EndedBy(Enum):
    """The end of the process: by itself, by a signal from outside, or by us because its time was up."""

    EXIT = "exit"
    SIGNAL = "signal"
    TIMEOUT = "timeout"


_VIOLATIONS: Final = frozenset(
    {
        Outcome.INVARIANT,
        Outcome.ACTION_PROPERTY,
        Outcome.TEMPORAL,
        Outcome.DEADLOCK,
        Outcome.ASSUMPTION,
        Outcome.ASSERTION,
        Outcome.POSTCONDITION,
    }
)
