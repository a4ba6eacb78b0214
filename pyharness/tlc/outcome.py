"""What a run of TLC can come to, and what each error code says about it.

The codes are TLC's own (``tlc2.output.EC``), the same in 2.15 and in later builds where both have them.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from pyharness.tlc.messages import BUG, ERROR

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.tlc.messages import Message

__all__ = ["EndedBy", "Mode", "Outcome", "error_outcome", "is_error", "violation_outcome"]


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
        """Whether what the user gave TLC is at fault."""
        return self in {Outcome.PARSE_ERROR, Outcome.CONFIG_ERROR, Outcome.EVALUATION_ERROR}

    @property
    def is_tool_failure(self) -> bool:
        """Whether TLC or the Java machine could not do its part."""
        return self in {Outcome.OUT_OF_MEMORY, Outcome.STACK_OVERFLOW, Outcome.TOOL_ERROR}


class Mode(Enum):
    """How TLC searched."""

    BREADTH_FIRST = "breadth-first"
    DEPTH_FIRST = "depth-first"
    SIMULATION = "simulation"


class EndedBy(Enum):
    """How the process ended: by itself, by a signal from outside, or by us because its time was up."""

    EXIT = "exit"
    SIGNAL = "signal"
    TIMEOUT = "timeout"


_VIOLATION_CODES: Final = {
    2107: Outcome.INVARIANT,
    2110: Outcome.INVARIANT,
    2108: Outcome.ACTION_PROPERTY,
    2112: Outcome.ACTION_PROPERTY,
    2116: Outcome.TEMPORAL,
    2114: Outcome.DEADLOCK,
    2104: Outcome.ASSUMPTION,
    2132: Outcome.ASSERTION,
    2404: Outcome.POSTCONDITION,
}
_VIOLATIONS: Final = frozenset(_VIOLATION_CODES.values())

_OUT_OF_MEMORY_CODES: Final = frozenset({1001, 1002, 1003})
_OUT_OF_MEMORY_TEXTS: Final = ("OutOfMemoryError", "Java heap space", "GC overhead limit exceeded")
_STACK_OVERFLOW_CODES: Final = frozenset({1005})
_STACK_OVERFLOW_TEXTS: Final = ("StackOverflowError",)

_PARSE_CODES: Final = frozenset({2171, 2245, 3002, 4000, 4001, 4002})
_CONFIG_CODES: Final = frozenset(
    {
        *range(2222, 2238),
        2239,
        2240,
        2241,
        2242,
        2243,
        2146,
        2149,
        2257,
        2259,
        2272,
        2273,
        2274,
        2279,
        2280,
        2281,
    }
    | set(range(5001, 5007))
)
_EVALUATION_CODES: Final = frozenset(
    {
        2103,
        2105,
        2106,
        2109,
        2111,
        2113,
        2115,
        2118,
        2148,
        2184,
        2213,
        2215,
        2238,
        2244,
        2256,
        2265,
        2266,
        2283,
    }
    | {2405, *range(2139, 2148), *range(2154, 2159), 2164, 2165, 2169, 2170, 2172, *range(2176, 2184)}
    | set(range(2246, 2253))
)


def is_error(message: Message) -> bool:
    """Whether ``message`` reports that something went wrong."""
    return message.kind in {ERROR, BUG}


def violation_outcome(message: Message) -> Outcome | None:
    """Return which violation ``message`` reports, or ``None`` if it reports none."""
    return _VIOLATION_CODES.get(message.code)


def error_outcome(codes: Iterable[int], texts: Iterable[str]) -> Outcome | None:
    """Return what the errors of one run come to: their ``codes``, and the ``texts`` that report them.

    ``None`` if there are no codes and the texts tell of no failure of the Java machine. A lack of memory or stack
    comes first, since TLC reports its consequences as errors of the specification.
    """
    found = frozenset(codes)
    text = "\n".join(texts)
    if found & _OUT_OF_MEMORY_CODES or any(sign in text for sign in _OUT_OF_MEMORY_TEXTS):
        return Outcome.OUT_OF_MEMORY
    if found & _STACK_OVERFLOW_CODES or any(sign in text for sign in _STACK_OVERFLOW_TEXTS):
        return Outcome.STACK_OVERFLOW
    if found & _PARSE_CODES:
        return Outcome.PARSE_ERROR
    if found & _CONFIG_CODES:
        return Outcome.CONFIG_ERROR
    if found & _EVALUATION_CODES:
        return Outcome.EVALUATION_ERROR
    return Outcome.TOOL_ERROR if found else None
