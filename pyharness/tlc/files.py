"""Read a trace from a file, whichever of the formats it is in.

ITF, ours or another tool's (Apalache, Quint); what TLC printed, with or without ``-tool``; a behaviour that TLC wrote
with ``-simulate file=…``.
"""

from __future__ import annotations

import codecs
import io
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import IncompleteError, SpecError, ToolError
from pyharness.tla import Fn, Memo, StateReader, Value
from pyharness.tlc.console import console_messages, is_console
from pyharness.tlc.digest import Digest
from pyharness.tlc.itf import MOST_DEPTH, from_itf
from pyharness.tlc.messages import MessageReader
from pyharness.tlc.outcome import Outcome
from pyharness.tlc.simulation import is_simulation, parse_simulation
from pyharness.toolchain.bounded_files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pyharness.tlc.messages import Message
    from pyharness.tlc.result import Result, Violation
    from pyharness.tlc.trace import Trace

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
    """Read the ``nth`` trace in the file, and what the file says about it; see :func:`parse_trace`.

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
    """Read the ``nth`` trace in ``text``, and what the text says about it.

    The latter is the document's ``#meta`` of ITF. Of TLC's output it is ``title`` (TLC's words), ``outcome``,
    ``source`` (the TLC), ``violated`` (the property, if TLC names it), ``location`` (if TLC gives that instead), and
    ``traces``, how many there are, if there are several. A simulated behaviour says nothing.

    Raises SpecError, naming ``where``, for text that is no trace, is malformed or has fewer traces, and IncompleteError
    for a trace that is cut off: what is there is never taken for a shorter one.
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


def _recorded(messages: Iterable[Message], where: str, nth: int) -> tuple[Trace, dict[str, Any]]:
    """Take the trace from the messages of one run of TLC."""
    digest = Digest(_MOST_OF_VALUES)
    try:
        for message in messages:
            digest.add(message)
        result = digest.result(None)
    except ToolError as error:
        raise SpecError(error.message, where=where, hint="was a part of TLC's output left out?") from None
    found = [
        (violation.trace, _said(violation))
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


def _said(violation: Violation) -> dict[str, Any]:
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
    """Refuse states of different variables, as an ``ALIAS`` makes them, and values of more than a sensible depth."""
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
