"""TLC's message codes: the names of those that something here reads, and the outcome that a code of an error stands for.

Names and numbers are those of ``tlc2.output.EC``, the same in 2.15 and in later builds where both have them. A message of
a code that is not listed is an error of the tool if TLC prints it as an error, and else is passed over.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from pyharness.tla.tlc.messages import BUG, ERROR
from pyharness.tla.tlc.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.tla.tlc.messages import TlcMessage


class Code(IntEnum):
    """A message code by its name in TLC."""

    GENERAL = 1000
    TLC_FINISHED = 2186
    TLC_MODE_MC = 2187
    TLC_MODE_SIMU = 2188
    TLC_MODE_MC_DFS = 2271
    TLC_INIT_GENERATED1 = 2190
    TLC_INIT_GENERATED2 = 2191
    TLC_INIT_GENERATED3 = 2207
    TLC_INIT_GENERATED4 = 2208
    TLC_SUCCESS = 2193
    TLC_SEARCH_DEPTH = 2194
    TLC_STATS = 2199
    TLC_PROGRESS_STATS = 2200
    TLC_PROGRESS_STATS_DFID = 2206
    TLC_PROGRESS_SIMU = 2209
    TLC_STATS_SIMU = 2210
    TLC_VERSION = 2262
    TLC_CHECKING_TEMPORAL_PROPS_END = 2267
    TLC_COVERAGE_START = 2201
    TLC_COVERAGE_END = 2202
    TLC_COVERAGE_VALUE = 2221
    TLC_COVERAGE_NEXT = 2772
    TLC_COVERAGE_INIT = 2773
    TLC_COVERAGE_PROPERTY = 2774
    TLC_COVERAGE_VALUE_COST = 2775
    TLC_COVERAGE_END_OVERHEAD = 2777
    TLC_COVERAGE_CONSTRAINT = 2778
    TLC_BEHAVIOR_UP_TO_THIS_POINT = 2121
    TLC_BACK_TO_STATE = 2122
    TLC_STATE_PRINT1 = 2216
    TLC_STATE_PRINT2 = 2217
    TLC_STATE_PRINT3 = 2218
    TLC_COUNTER_EXAMPLE = 2264
    TLC_ASSUMPTION_FALSE = 2104
    TLC_INVARIANT_VIOLATED_INITIAL = 2107
    TLC_PROPERTY_VIOLATED_INITIAL = 2108
    TLC_INVARIANT_VIOLATED_BEHAVIOR = 2110
    TLC_ACTION_PROPERTY_VIOLATED_BEHAVIOR = 2112
    TLC_DEADLOCK_REACHED = 2114
    TLC_TEMPORAL_PROPERTY_VIOLATED = 2116
    TLC_VALUE_ASSERT_FAILED = 2132
    SYSTEM_OUT_OF_MEMORY = 1001
    TLC_PARSING_FAILED = 3002
    TLC_INITIAL_STATE = 2102
    TLC_ASSUMPTION_EVALUATION_ERROR = 2105
    TLC_INVARIANT_EVALUATION_FAILED = 2111
    TLC_ACTION_PROPERTY_EVALUATION_FAILED = 2113


CODES: Final[dict[Outcome, tuple[int, ...]]] = {
    Outcome.ASSUMPTION: (2104,),
    Outcome.INVARIANT: (2107, 2110),
    Outcome.ACTION_PROPERTY: (2108, 2112),
    Outcome.DEADLOCK: (2114,),
    Outcome.TEMPORAL: (2116,),
    Outcome.ASSERTION: (2132,),
    Outcome.POSTCONDITION: (2404,),
    Outcome.OUT_OF_MEMORY: (*range(1001, 1004),),
    Outcome.STACK_OVERFLOW: (1005,),
    Outcome.PARSE_ERROR: (2171, 2245, 3002, *range(4000, 4003)),
    Outcome.CONFIG_ERROR: (2146, 2149, *range(2222, 2238), *range(2239, 2244), 2257, 2259,
        *range(2272, 2275), *range(2279, 2282), *range(5001, 5007)),
    Outcome.EVALUATION_ERROR: (2102, 2103, 2105, 2106, 2109, 2111, 2113, 2115, 2118, *range(2139,
        2146), 2147, 2148, *range(2154, 2159), 2164, 2165, 2169, 2170, 2172, *range(2176, 2185),
        *range(2213, 2216), 2238, 2244, *range(2246, 2254), 2256, 2265, 2266, 2283, 2405),
}  # fmt: skip
"""The codes of each outcome that TLC reports: violations, lack of memory, and errors of modules and configurations."""

_OUTCOME_OF: Final = {code: outcome for outcome, codes in CODES.items() for code in codes}

_OF_ERRORS: Final = (
    Outcome.OUT_OF_MEMORY,
    Outcome.STACK_OVERFLOW,
    Outcome.PARSE_ERROR,
    Outcome.CONFIG_ERROR,
    Outcome.EVALUATION_ERROR,
)
"""The outcome of errors, by the first of them that has one: TLC reports a lack of memory as errors of the spec."""

_SIGNS: Final = {
    Outcome.OUT_OF_MEMORY: ("OutOfMemoryError", "Java heap space", "GC overhead limit exceeded"),
    Outcome.STACK_OVERFLOW: ("StackOverflowError",),
    Outcome.EVALUATION_ERROR: ("Attempted to ", "current state is not a legal state"),
}
"""Java's own words for lack of memory or stack, and TLC's for an expression without a value in a behaviour."""

_OF_THE_MACHINE: Final = (
    "No space left on device",
    "Disk quota exceeded",
    "Read-only file system",
    "Too many open files",
    "Input/output error",
)
"""The system's words for faults that are not a spec's: TLC copies its own modules to a directory before it parses them,
and a module that it could not copy it cannot parse."""

_FILE_FAILED: Final = re.compile(r"java\.(?:io|nio\.file)\.\w+Exception\b")
"""The beginning of Java's report of a file that could not be read or written, for any reason."""


def is_error(message: TlcMessage) -> bool:
    """Whether ``message`` reports that something went wrong."""
    return message.kind in {ERROR, BUG}


def violation_outcome(message: TlcMessage) -> Outcome | None:
    """Return which violation ``message`` reports, or ``None`` if it reports none."""
    outcome = _OUTCOME_OF.get(message.code)
    return outcome if outcome is not None and outcome.is_violation else None


def error_outcome(codes: Iterable[int], texts: Iterable[str]) -> Outcome | None:
    """Return the outcome of the errors of one run: their ``codes``, and the ``texts`` that report them.

    ``None`` if there are no codes and no text reports a failure of the Java machine or of the one that it runs on.
    """
    found = frozenset(codes)
    text = "\n".join(texts)
    if trouble_of_machine(text):
        return Outcome.TOOL_ERROR
    outcomes = {_OUTCOME_OF.get(code) for code in found}
    for outcome in _OF_ERRORS:
        if outcome in outcomes or any(sign in text for sign in _SIGNS.get(outcome, ())):
            return outcome
    return Outcome.TOOL_ERROR if found else None


def trouble_of_machine(text: str) -> str | None:
    """Return the first line of ``text`` that reports a full disk, a file that could not be written, or the like; else ``None``."""
    if not any(sign in text for sign in (*_OF_THE_MACHINE, "java.")):
        return None
    return next((line.strip() for line in text.splitlines() if _of_the_machine(line)), None)


def _of_the_machine(line: str) -> bool:
    return bool(_FILE_FAILED.match(line)) or any(sign in line for sign in _OF_THE_MACHINE)
