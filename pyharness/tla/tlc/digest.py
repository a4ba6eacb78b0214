"""Make a :class:`Result` of TLC's messages.

*Success needs positive evidence.* A breadth-first run is a success if TLC printed "no error has been found"
(``TLC_SUCCESS``) and "finished" (``TLC_FINISHED``), reported its final counts (``TLC_STATS``) with no state left on the
queue, printed no error, exited with status 0, and its output is complete. A simulation never prints that; it is a
success if it reported its progress (``TLC_PROGRESS_SIMU`` or ``TLC_STATS_SIMU``) and "finished" under the same other
conditions, and :attr:`Result.mode` shows that it proves nothing about all states. A depth-first run is bounded and
reports no final counts: it is never a success. Everything without its evidence is :attr:`Outcome.INCOMPLETE`.

*Messages come first, the exit status second.* ``-continue`` exits with 0 and prints ``TLC_SUCCESS`` after violations;
violations that TLC reported before it was killed count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pyharness.tla.tlc.codes import Code, error_outcome, is_error, violation_outcome
from pyharness.tla.tlc.coverage import CoverageReader
from pyharness.tla.tlc.messages import STATE, WARNING, TlcMessage
from pyharness.tla.tlc.outcome import EndedBy, Mode, Outcome
from pyharness.tla.tlc.result import Progress, Result, Violation
from pyharness.tla.tlc.trace import LOCATION, Trace, TraceBuilder
from pyharness.tla.values import Memo, StateReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_KEPT: Final = 500
"""The most violations and errors that are kept of one run; ``-continue`` may print any number."""

_STATES: Final = frozenset({Code.TLC_STATE_PRINT1, Code.TLC_STATE_PRINT2})
_HEADINGS: Final = frozenset({Code.TLC_BEHAVIOR_UP_TO_THIS_POINT, Code.TLC_COUNTER_EXAMPLE})
_WITH_STATE: Final = frozenset({Code.TLC_INVARIANT_VIOLATED_INITIAL, Code.TLC_PROPERTY_VIOLATED_INITIAL})
_WITH_CAUSE: Final = frozenset(
    {
        Code.GENERAL,
        Code.TLC_INITIAL_STATE,
        Code.TLC_ASSUMPTION_EVALUATION_ERROR,
        Code.TLC_INVARIANT_EVALUATION_FAILED,
        Code.TLC_ACTION_PROPERTY_EVALUATION_FAILED,
    }
)
_INITIAL: Final = frozenset(
    {Code.TLC_INIT_GENERATED1, Code.TLC_INIT_GENERATED2, Code.TLC_INIT_GENERATED3, Code.TLC_INIT_GENERATED4}
)
_PROGRESS: Final = frozenset({Code.TLC_PROGRESS_STATS, Code.TLC_PROGRESS_STATS_DFID, Code.TLC_PROGRESS_SIMU})
_SIMULATED: Final = frozenset({Code.TLC_PROGRESS_SIMU, Code.TLC_STATS_SIMU})
_AFTER_TRACE: Final = frozenset(
    {
        Code.TLC_FINISHED,
        Code.TLC_SUCCESS,
        Code.TLC_STATS,
        Code.TLC_STATS_SIMU,
        Code.TLC_CHECKING_TEMPORAL_PROPS_END,
    }
)
_MODES: Final[Mapping[int, Mode]] = {
    Code.TLC_MODE_MC: Mode.BREADTH_FIRST,
    Code.TLC_MODE_SIMU: Mode.SIMULATION,
    Code.TLC_MODE_MC_DFS: Mode.DEPTH_FIRST,
}

_NAME: Final = re.compile(
    r"(?:Invariant|Action property|Property|Temporal property|Postcondition) (?!line )(\S+)"
)
_UNNAMED: Final = frozenset({"Action", "UnnamedAction"})
"""TLC's name for a part of a property that has no name of its own."""

_PLACE: Final = re.compile(LOCATION)
_LINE: Final = re.compile(r"line (\d{1,18}), .* of module (\S+)")
_RUNNING: Final = re.compile(r"with (?:fp (\d{1,18}) and )?seed (-?\d{1,20}) with (\d{1,18}) worker")
_STATES_GENERATED: Final = re.compile(
    r"(?P<generated>[\d,]{1,25}) states generated[^,]*(?:\([^)]*\))?, (?P<distinct>-?[\d,]{1,25}) distinct states found"
    r"(?: \([^)]*\))?, (?P<queue>-?[\d,]{1,25}) states left on queue"
)
_INITIAL_STATES: Final = re.compile(r"([\d,]{1,25}) (?:distinct states? generated|of them distinct)")
_DEPTH_IS: Final = re.compile(r"state graph search is ([\d,]{1,25})")
_DURATION: Final = re.compile(
    r"Finished in (?:(\d{1,18})ms|(?:(\d{1,18})d )?(?:(\d{1,18})h )?(?:(\d{1,18})min )?(\d{1,18})s)\b"
)
_VERSION_IS: Final = re.compile(r"Version (\S+)")


def read_progress(message: TlcMessage, seconds: float = 0.0) -> Progress | None:
    """Return the numbers of a progress message, ``None`` for any other message."""
    match = _STATES_GENERATED.search(message.text) if message.code in _PROGRESS | {Code.TLC_STATS} else None
    if not match:
        return None
    generated, distinct, queue = (int(number.replace(",", "")) for number in match.groups())
    return Progress(generated, distinct if distinct >= 0 else None, queue if queue >= 0 else None, seconds)


@dataclass(slots=True)
class _Findings:
    """A violation, or an error without ``outcome``, whose trace is being printed."""

    outcome: Outcome | None
    text: str
    builder: TraceBuilder
    complete: bool = True
    ended: bool = True


class Digest:
    """Takes the messages of one run as they come and makes its :class:`Result`; memory is bounded."""

    def __init__(self, most: int | None = None) -> None:
        """``most`` bounds the characters of different values that are read: output of others."""
        self._codes: set[int] = set()
        self._facts = Result(Outcome.INCOMPLETE, None)
        self._cut = False
        self._failed = False
        self._coverage = CoverageReader()
        self._reader = StateReader(Memo(most=most))
        self._errors: list[TlcMessage] = []
        self._violations: list[Violation] = []
        self._violation_count = 0
        self._found: _Findings | None = None
        self._error_trace: Trace | None = None

    def add(self, message: TlcMessage) -> None:
        """Take the next message. Raises ``ToolError`` for a state or a trace that cannot be read."""
        self._cut = self._cut or not message.complete
        if message.complete:
            self._codes.add(message.code)
        if message.kind == STATE:
            self._add_state(message)
        elif message.kind == WARNING:
            return
        elif outcome := violation_outcome(message):
            self._add_violation(outcome, message)
        elif is_error(message) or message.within in _WITH_CAUSE:
            self._add_error(message)
        elif message.complete:
            if self._found and message.code in _AFTER_TRACE:
                self._found.ended = True
            self._coverage.add(message)
            self._note(message)

    def _add_violation(self, outcome: Outcome, message: TlcMessage) -> None:
        self._close()
        if not message.complete:
            return
        self._violation_count += 1
        text, builder = message.text.strip(), TraceBuilder(self._reader)
        if message.code in _WITH_STATE:
            text, _, state = text.partition("\n")
            if state.strip():
                builder.add(None, state)
        self._found = _Findings(outcome, text, builder)

    def _add_error(self, message: TlcMessage) -> None:
        """Keep an error; one inside an exception is its cause and comes before it. It may have a trace too."""
        self._failed = True
        if message.code in _HEADINGS:
            return
        self._close()
        if len(self._errors) < MAX_KEPT:
            self._errors.append(message)

    def _add_state(self, message: TlcMessage) -> None:
        if self._found is None:
            self._found = _Findings(None, "", TraceBuilder(self._reader))
        found = self._found
        found.ended = False
        if not message.complete:
            found.complete = False
        elif message.code in _STATES:
            found.builder.add_state(message.text)
        elif message.code == Code.TLC_STATE_PRINT3:
            found.builder.add_stuttering()
        elif message.code == Code.TLC_BACK_TO_STATE:
            found.builder.add_back(message.text)

    def _close(self) -> None:
        """End the violation or error whose trace was being printed."""
        found, self._found = self._found, None
        if found is None:
            return
        trace = found.builder.trace() if found.complete else None
        if found.outcome is None:
            self._error_trace = self._error_trace or trace
        elif len(self._violations) < MAX_KEPT:
            name, place = _NAME.match(found.text), _PLACE.search(found.text)
            self._violations.append(
                Violation(
                    found.outcome, name[1] if name else None, place[0] if place else None, found.text, trace
                )
            )

    def _note(self, message: TlcMessage) -> None:
        """Add the numbers in an information message to the facts of the run."""
        changes: dict[str, object] = {}
        text = message.text
        if message.code == Code.TLC_STATS and (counts := read_progress(message)):
            changes = {
                "generated": counts.generated,
                "distinct": counts.distinct,
                "left_on_queue": counts.queue,
            }
        elif message.code == Code.TLC_SEARCH_DEPTH and (match := _DEPTH_IS.search(text)):
            changes = {"depth": int(match[1].replace(",", ""))}
        elif message.code in _INITIAL and (match := _INITIAL_STATES.search(text)):
            changes = {"initial_states": int(match[1].replace(",", ""))}
        elif message.code == Code.TLC_VERSION and (match := _VERSION_IS.search(text)):
            changes = {"tlc_version": match[1]}
        elif message.code == Code.TLC_FINISHED and (match := _DURATION.search(text)):
            changes = {"seconds": _duration(match)}
        elif mode := _MODES.get(message.code):
            changes = {"mode": mode}
            if match := _RUNNING.search(text):
                changes |= {
                    "fp": int(match[1]) if match[1] else None,
                    "seed": int(match[2]),
                    "workers": int(match[3]),
                }
        elif message.code in _SIMULATED and (counts := read_progress(message)):
            changes = {"generated": counts.generated}
        if changes:
            self._facts = replace(self._facts, **changes)  # type: ignore[arg-type]

    def result(
        self,
        exit_status: int | None,
        *,
        stderr: str = "",
        ended_by: EndedBy = EndedBy.EXIT,
        intact: bool = True,
        output: str = "",
        seconds: float | None = None,
    ) -> Result:
        """Return the result, after the last message.

        ``exit_status`` is that of the process (negative: killed by that signal), ``None`` if that is not
        known; ``intact`` is :attr:`MessageReader.intact`; ``output`` is the text outside all messages;
        ``seconds`` is the wall time, TLC's own figure if it is not given.
        """
        if self._found and not self._found.ended:
            self._found.complete = False  # nothing shows that the last state was the last one
        self._close()
        if exit_status is not None and exit_status < 0 and ended_by is EndedBy.EXIT:
            ended_by = EndedBy.SIGNAL
        intact = intact and not self._cut
        missing = tuple(self._missing(exit_status, ended_by, intact))
        coverage = self._coverage.last
        violations = tuple(
            _named(found, coverage.properties if coverage else {}) for found in self._violations
        )
        return replace(
            self._facts,
            outcome=self._outcome(exit_status, stderr, ended_by, missing),
            exit_status=exit_status,
            ended_by=ended_by,
            finished=ended_by is EndedBy.EXIT and intact and Code.TLC_FINISHED in self._codes,
            violations=violations,
            violation_count=self._violation_count,
            error_trace=self._error_trace,
            errors=tuple(message.text.strip() for message in self._errors),
            missing=missing,
            coverage=coverage,
            seconds=self._facts.seconds if seconds is None else seconds,
            output=output,
            stderr=stderr,
        )

    def _outcome(
        self, exit_status: int | None, stderr: str, ended_by: EndedBy, missing: tuple[str, ...]
    ) -> Outcome:
        if self._violations:
            return self._violations[0].outcome
        texts = [message.text for message in self._errors]
        if failure := error_outcome((message.code for message in self._errors), [*texts, stderr]):
            return failure
        if not missing:
            return Outcome.SUCCESS
        if Code.TLC_VERSION not in self._codes and ended_by is EndedBy.EXIT and exit_status:
            return Outcome.TOOL_ERROR
        return Outcome.INCOMPLETE

    def _missing(self, exit_status: int | None, ended_by: EndedBy, intact: bool) -> Iterable[str]:
        """Yield the reasons for which the evidence of success is incomplete."""
        facts, codes = self._facts, self._codes
        if ended_by is EndedBy.TIMEOUT:
            yield "the time was up"
        elif ended_by is EndedBy.SIGNAL:
            yield f"the process was killed by signal {-(exit_status or 0)}"
        elif exit_status != 0:
            yield f"the exit status is {exit_status}, not 0"
        if not intact:
            yield "the output is cut off"
        if self._violations or self._violation_count:
            yield "violations were reported"
        if self._failed:
            yield "errors were reported"
        if Code.TLC_FINISHED not in codes:
            yield f"no message that TLC finished ({Code.TLC_FINISHED.name})"
        if facts.mode is None:
            yield f"no message of what TLC runs ({Code.TLC_MODE_MC.name}, {Code.TLC_MODE_SIMU.name})"
        elif facts.mode is Mode.DEPTH_FIRST:
            yield "a depth-first search is bounded"
        elif facts.mode is Mode.SIMULATION:
            if not codes & _SIMULATED:
                names = f"{Code.TLC_PROGRESS_SIMU.name}, {Code.TLC_STATS_SIMU.name}"
                yield f"no message of a simulation's progress ({names})"
        else:
            if Code.TLC_SUCCESS not in codes:
                yield f"no message that no error has been found ({Code.TLC_SUCCESS.name})"
            if facts.left_on_queue is None:
                yield f"no final counts ({Code.TLC_STATS.name})"
            elif facts.left_on_queue != 0:
                yield f"{facts.left_on_queue} states are left on the queue"


def _duration(match: re.Match[str]) -> float:
    if match[1]:
        return int(match[1]) / 1000
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[1:])
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


def _named(found: Violation, properties: Mapping[str, str]) -> Violation:
    """Return a violation that has only a place with the name of the property that is defined on that line, if any."""
    if found.name or not found.location:
        return found
    place = _LINE.match(found.location)
    for name, location in ((name, at) for name, at in properties.items() if name not in _UNNAMED):
        defined = _LINE.match(location)
        if place and defined and place.groups() == defined.groups():
            return replace(found, name=name)
    return found
