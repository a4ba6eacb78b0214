"""Read traces from files, in any supported format.

The formats are ITF, ours or another tool's (Apalache, Quint); TLC's output, with or without ``-tool``; and a behaviour
that TLC wrote with ``-simulate file=…``.

In TLC's output without frames, a message begins at a line that identifies it, and a state ends at an empty line. Text
between messages (``Print``, the parser, lines that another program wrote) is ignored.
"""

from __future__ import annotations

import codecs
import io
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import IncompleteError, SpecError, ToolError
from pyharness.base.toolchain.bounded_files import read_bytes
from pyharness.tla.tlc.codes import Code
from pyharness.tla.tlc.digest import Digest
from pyharness.tla.tlc.itf import MOST_DEPTH, from_itf
from pyharness.tla.tlc.messages import ERROR, INFO, STATE, WARNING, MessageReader, TlcMessage
from pyharness.tla.tlc.outcome import Outcome
from pyharness.tla.tlc.trace import Trace, TraceBuilder
from pyharness.tla.values import Fn, Memo, StateReader, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pyharness.tla.tlc.result import Result, Violation


_STATE: Final = Code.TLC_STATE_PRINT2
_WITH_STATE: Final = frozenset({Code.TLC_INVARIANT_VIOLATED_INITIAL, Code.TLC_PROPERTY_VIOLATED_INITIAL})

_STARTS: Final = (
    (r"State \d+: Stuttering", Code.TLC_STATE_PRINT3, STATE),
    (r"State \d+: <", _STATE, STATE),
    (r"Back to state \d+", Code.TLC_BACK_TO_STATE, STATE),
    (r"Error: Invariant .* is violated by the initial state", Code.TLC_INVARIANT_VIOLATED_INITIAL, ERROR),
    (r"Error: Property .* is violated by the initial state", Code.TLC_PROPERTY_VIOLATED_INITIAL, ERROR),
    (r"Error: Invariant .* is violated\.", Code.TLC_INVARIANT_VIOLATED_BEHAVIOR, ERROR),
    (r"Error: Action property .* is violated\.", Code.TLC_ACTION_PROPERTY_VIOLATED_BEHAVIOR, ERROR),
    (r"Error: Temporal propert(?:y|ies) .*w(?:as|ere) violated", Code.TLC_TEMPORAL_PROPERTY_VIOLATED, ERROR),
    (r"Error: Deadlock reached\.", Code.TLC_DEADLOCK_REACHED, ERROR),
    (r"Error: The first argument of Assert evaluated to FALSE", Code.TLC_VALUE_ASSERT_FAILED, ERROR),
    (r"Error: Assumption .* is false", Code.TLC_ASSUMPTION_FALSE, ERROR),
    (r"Error: The behavior up to this point is:", Code.TLC_BEHAVIOR_UP_TO_THIS_POINT, ERROR),
    (r"Error: The following behavior constitutes a counter-example:", Code.TLC_COUNTER_EXAMPLE, ERROR),
    (r"Error: Evaluating invariant ", Code.TLC_INVARIANT_EVALUATION_FAILED, ERROR),
    (r"Error: ", Code.GENERAL, ERROR),
    (r"Warning: ", Code.GENERAL, WARNING),
    (r"TLC2 Version ", Code.TLC_VERSION, INFO),
    (r"Running breadth-first search ", Code.TLC_MODE_MC, INFO),
    (r"Running depth-first search ", Code.TLC_MODE_MC_DFS, INFO),
    (r"Running Random Simulation ", Code.TLC_MODE_SIMU, INFO),
    (r"Progress[(:]", Code.TLC_PROGRESS_STATS, INFO),
    (r"Model checking completed\. No error has been found", Code.TLC_SUCCESS, INFO),
    (r"Finished checking temporal properties in ", Code.TLC_CHECKING_TEMPORAL_PROPS_END, INFO),
    (r"[\d,]+ states generated, .* left on queue", Code.TLC_STATS, INFO),
    (r"The number of states generated: ", Code.TLC_STATS_SIMU, INFO),
    (r"Finished in ", Code.TLC_FINISHED, INFO),
)
_START: Final = re.compile(rf"(?=[\dA-Z])(?:{'|'.join(f'({pattern})' for pattern, _, _ in _STARTS)})")


def is_console(text: str) -> bool:
    """Whether ``text`` has a line with which TLC begins its output, a violation or a state of a trace."""
    return re.search(r"^(?:TLC2 Version |Error: |State \d+: )", text, re.MULTILINE) is not None


@dataclass(slots=True)
class _Block:
    code: int
    kind: int
    lines: list[str] = field(default_factory=list)
    ended: bool = False

    def message(self, *, complete: bool) -> TlcMessage:
        text = "".join(self.lines).strip("\n")
        return TlcMessage(self.code, self.kind, text.removeprefix("Error: "), complete=complete)


def console_messages(lines: Iterable[str]) -> Iterator[TlcMessage]:
    """Yield the messages in ``lines``, each with its line break, in order.

    The last message is not ``complete`` when the lines end within it.
    """
    block: _Block | None = None
    for line in lines:
        start = _START.match(line)
        if start and start.lastindex:
            if block:
                yield block.message(complete=block.ended or block.code != _STATE)
            _, code, kind = _STARTS[start.lastindex - 1]
            block = _Block(code, kind)
        if block and not block.ended:
            block.lines.append(line)
            block.ended = _ends(block, line)
    if block:
        yield block.message(complete=block.ended or (block.kind == ERROR and block.code not in _WITH_STATE))


def _ends(block: _Block, line: str) -> bool:
    """Whether ``block`` ends with ``line``: a state at an empty line, an error at the next message, others at once."""
    if block.code == _STATE or block.code in _WITH_STATE:
        return line == "\n"
    return block.kind != ERROR and line.endswith("\n")


_SIMULATED_START: Final = re.compile(r"-+ MODULE .* -+\n")
_SIMULATED_END: Final = re.compile(r"\n=+\n\Z")
_SIMULATED_STATE: Final = re.compile(r"(?:\\\* <([^\n]*)>\n)?STATE_(\d{1,18}) == *\n")


def read_simulation(path: Path, reader: StateReader | None = None) -> Trace:
    """Read one simulated behaviour from a file.

    Newer builds write the actions as comments; 2.15 does not, and its steps have no ``action``. A ``reader`` caches
    values: share one between files.

    Raises ``IncompleteError`` if the file is cut off, ``ToolError`` if it is not such a file.
    """
    return parse_simulation(path.read_text(encoding="utf-8"), str(path), reader)


def is_simulation(text: str) -> bool:
    """Whether ``text`` begins like a behaviour that TLC wrote in a simulation, and not like any other module."""
    start = _SIMULATED_START.match(text)
    return start is not None and _SIMULATED_STATE.match(text, start.end()) is not None


def parse_simulation(text: str, where: str, reader: StateReader | None = None) -> Trace:
    """Read one simulated behaviour from the text of its file, as :func:`read_simulation` does."""
    start, end = _SIMULATED_START.match(text), _SIMULATED_END.search(text)
    if not end or not start:
        raise IncompleteError("the behaviour is cut off", where=where, hint="run TLC again, to its end")
    builder = TraceBuilder(reader or StateReader())
    before, *parts = _SIMULATED_STATE.split(text[start.end() : end.start()])
    actions, numbers, bodies = parts[::3], parts[1::3], parts[2::3]
    if before.strip() or [int(number) for number in numbers] != list(range(1, len(numbers) + 1)):
        raise ToolError("not a behaviour that TLC wrote", where=where)
    for action, body in zip(actions, bodies, strict=True):
        builder.add(action, body)
    trace = builder.trace()
    if trace is None:
        raise ToolError("the behaviour has no state", where=where)
    return trace


MOST_BYTES: Final = 16 * 1024 * 1024
"""The most bytes of a file that are read."""

_MOST_OF_VALUES: Final = 1_000_000
"""The most characters of different values, as TLC writes them, that are read of one file."""

_FRAME: Final = "@!@!@STARTMSG "
_HAVE_TRACES: Final = frozenset(
    {Outcome.INVARIANT, Outcome.ACTION_PROPERTY, Outcome.TEMPORAL, Outcome.DEADLOCK}
)
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_FORMATS: Final = (
    "a trace is ITF JSON, what TLC printed (with or without -tool), or a file of TLC's -simulate file=…"
)


def read_trace(path: Path, nth: int = 1) -> tuple[Trace, dict[str, Any]]:
    """Read the ``nth`` trace in the file, and the file's facts about it; see :func:`parse_trace`.

    Raises SpecError for a file that cannot be read or is too large too.
    """
    where = str(path)
    data = read_bytes(path, MOST_BYTES)
    try:
        text = data.decode("utf-16" if data.startswith(_UTF16) else "utf-8-sig")
    except UnicodeDecodeError:
        raise SpecError("not UTF-8 text", where=where, hint=_FORMATS) from None
    return parse_trace(text, where=where, nth=nth)


def parse_trace(text: str, *, where: str, nth: int = 1) -> tuple[Trace, dict[str, Any]]:
    """Read the ``nth`` trace in ``text``, and the text's facts about it.

    For ITF the facts are the document's ``#meta``. For TLC's output they are ``title`` (TLC's words), ``outcome``,
    ``source`` (the TLC), ``violated`` (the property, if TLC names it), ``location`` (if TLC gives that instead), and
    ``traces``, the number of traces, if there are several. A simulated behaviour has no facts.

    Raises SpecError, naming ``where``, for text that is not a trace, is malformed or has fewer traces, and IncompleteError
    for a trace that is cut off: the rest of one is never taken for a shorter one.
    """
    try:
        return _parsed(text.replace("\r\n", "\n"), where, nth)
    except (ValueError, RecursionError) as error:
        raise SpecError(f"cannot be read: {str(error)[:200]}", where=where, hint=_FORMATS) from None


def _parsed(text: str, where: str, nth: int) -> tuple[Trace, dict[str, Any]]:
    if _FRAME in text:
        reader = MessageReader()
        return _recorded(reader.read(_lines(text)), where, nth)
    start = text.lstrip()
    if not start.startswith(("{", "[", "---")) and is_console(text):
        return _recorded(console_messages(_lines(text)), where, nth)
    if nth != 1:
        raise SpecError(f"there is one trace, not {nth}", where=where)
    if start.startswith(("{", "[")):
        return from_itf(text, where=where)
    if not is_simulation(start):
        raise SpecError("no trace in a format that is known", where=where, hint=_FORMATS)
    try:
        return _uniform(parse_simulation(start, where, StateReader(Memo(most=_MOST_OF_VALUES))), where), {}
    except IncompleteError:
        raise
    except ToolError as error:
        raise SpecError(error.message, where=where) from None


def _lines(text: str) -> Iterator[str]:
    """Return the lines; other line breaks than TLC's may stand in its strings."""
    return iter(io.StringIO(text, newline="\n"))


def _recorded(messages: Iterable[TlcMessage], where: str, nth: int) -> tuple[Trace, dict[str, Any]]:
    """Take the trace from the messages of one run of TLC."""
    digest = Digest(_MOST_OF_VALUES)
    try:
        for message in messages:
            digest.add(message)
        result = digest.result(None)
    except ToolError as error:
        raise SpecError(error.message, where=where, hint="was a part of TLC's output left out?") from None
    found = [
        (violation.trace, _facts_of(violation))
        for violation in result.violations
        if violation.trace or violation.outcome in _HAVE_TRACES
    ]
    if result.error_trace:
        found.append((result.error_trace, _error(result)))
    if not found and result.finished:
        why = f", but: {_headline(result.errors[0])}" if result.errors else ""
        raise SpecError(f"TLC printed no trace{why}", where=where)
    if found and nth > len(found):
        raise SpecError(f"there are {len(found)} traces, not {nth}", where=where)
    trace, meta = found[nth - 1] if found else (None, {})
    if trace is None:
        raise IncompleteError(
            "TLC's output is cut off before the trace ends",
            where=where,
            hint="keep all of it, to its line `Finished in …`",
        )
    several = {"traces": len(found)} if len(found) > 1 else {}
    return _uniform(trace, where), meta | {"source": f"TLC {result.tlc_version or ''}".strip()} | several


def _facts_of(violation: Violation) -> dict[str, Any]:
    named = {"violated": violation.name, "location": violation.location if not violation.name else None}
    return {"title": _headline(violation.text), "outcome": violation.outcome.value} | {
        key: text for key, text in named.items() if text
    }


def _error(result: Result) -> dict[str, Any]:
    text = result.errors[0] if result.errors else ""
    return {"title": _headline(text), "outcome": result.outcome.value}


def _headline(text: str) -> str:
    return text.strip().partition("\n")[0].rstrip(".:")


def _uniform(trace: Trace, where: str) -> Trace:
    """Return a trace. Raises SpecError if its states differ in variables, as by an ``ALIAS``, or are nested too deep."""
    names = set(trace.steps[0].state)
    for number, step in enumerate(trace.steps, start=1):
        if differ := names ^ set(step.state):
            raise SpecError(
                f"not the variables of the first state: {', '.join(sorted(map(str, differ)))[:200]}",
                where=f"{where}, state {number}",
                hint="is there an ALIAS in the configuration? Run TLC without it",
            )
        if not all(_fits(value, MOST_DEPTH) for value in step.state.values()):
            raise SpecError(f"nested more than {MOST_DEPTH} deep", where=f"{where}, state {number}")
    return trace


def _fits(value: Value, room: int) -> bool:
    """Whether a value is nested at most ``room`` deep."""
    if isinstance(value, Fn):
        return room > 0 and all(_fits(part, room - 1) for pair in value.items() for part in pair)
    if isinstance(value, tuple | frozenset):
        return room > 0 and all(_fits(part, room - 1) for part in value)
    return True
