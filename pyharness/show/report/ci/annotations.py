"""Cases as annotations: the lines on standard output that GitHub shows beside a file's line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.base.toolchain.clean_text import clean
from pyharness.gate.judge.result_cases import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pyharness.gate.judge.result_cases import Case
    from pyharness.tla.modules.places import Place


def annotation_lines(cases: Iterable[Case], traces: Mapping[Case, Path | str] | None = None) -> Iterator[str]:
    """Return a line for each red case that has its own cause, failures first.

    GitHub shows ten errors of a step; the others are in its log.
    """
    own = [case for case in cases if case.red and not case.consequence]
    for case in sorted(own, key=lambda case: case.status is not Status.FAILURE):
        lines = list(case.reasons)
        if traces and case in traces:
            lines.append(f"trace: {traces[case]}")
        place = {"file": case.place.file, "line": str(case.place.line)} if case.place else {}
        yield _command("error", {**place, "title": f"{case.suite}: {case.name}"}, "\n".join(lines))


def warning_line(place: Place, title: str, text: str) -> str:
    """Return a warning at a place."""
    return _command("warning", {"file": place.file, "line": str(place.line), "title": title}, text)


def _command(kind: str, properties: Mapping[str, str], message: str) -> str:
    """Write a workflow command; nothing in a value can end it or begin another one."""
    given = ",".join(f"{name}={_escape(value, ':,')}" for name, value in properties.items())
    return f"::{kind} {given}::{_escape(message, '')}"


def _escape(text: str, more: str) -> str:
    for character in f"%\r\n{more}":
        text = text.replace(character, f"%{ord(character):02X}")
    return clean(text)
