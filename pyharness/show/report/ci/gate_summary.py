"""The result of a run, as Markdown for people: a job's summary, a comment on a pull request."""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.toolchain.clean_text import clean
from pyharness.gate.judge.result_cases import Status
from pyharness.show.report.ci.failures import drawn, trace_of
from pyharness.show.report.formats.export_formats import written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pyharness.gate.judge.judgement import PinRow
    from pyharness.gate.judge.result_cases import Case
    from pyharness.tla.tlc import Trace

MOST_ROWS: Final = 25
_MOST_REASONS: Final = 5
_MOST_TRACES: Final = 3
_MOST_CHARACTERS: Final = 12_000
"""Bounds on rows of a table, reasons of a case, traces and the characters of each: a comment has at most 65,536."""

_MARKS: Final = re.compile(r"[\\`*_\[\]#|~$]")
_LINKS: Final = re.compile(r":(?=//)|(?i:w(?=ww\.))")


def gate_summary(
    plan: str,
    verdict: str,
    closing: str,
    cases: Sequence[Case],
    *,
    page: Path | str | None = None,
    traces: Mapping[Case, Path | str],
    pins: Sequence[PinRow],
) -> str:
    """Write the summary of a run of ``plan``: what failed and why, the traces, counts, pins.

    ``closing`` is the line of figures, ``page`` the report to look at. ``traces`` has the files of the
    counterexamples, as they are to be shown.
    """
    parts = [
        f"# pyharness check, plan {_text(plan)}: {_text(verdict.upper())}",
        _text(closing, 1_000),
        *([f"Report: {_text(str(page))}"] if page else []),
        *_failed(cases, traces),
        *_traces(cases),
        "## Figures",
        _counts(cases),
        *_pins(pins),
    ]
    return "\n\n".join(parts) + "\n"


def error_summary(plan: str, message: str) -> str:
    """Write the summary of a run without a verdict, with what stopped it."""
    return f"# pyharness check, plan {_text(plan)}: ERROR\n\nNo verdict: the run stopped.\n\n{_fenced(message)}\n"


def _failed(cases: Sequence[Case], traces: Mapping[Case, Path | str]) -> Iterator[str]:
    own = [case for case in cases if case.red and not case.consequence]
    if not own:
        return
    own.sort(key=lambda case: case.status is not Status.FAILURE)
    lines = ["| | case | why | where | trace |", "|---|---|---|---|---|"]
    for case in own[:MOST_ROWS]:
        more = len(case.reasons) - _MOST_REASONS
        reasons = [*case.reasons[:_MOST_REASONS], *([f"{more} more reasons"] if more > 0 else [])]
        why = "<br>".join(map(_text, reasons))
        where = _text(str(case.place)) if case.place else ""
        trace = _text(str(traces[case])) if case in traces else ""
        lines.append(
            f"| {case.status.value} | {_text(case.suite)}: {_text(case.name)} | {why} | {where} | {trace} |"
        )
    yield "## What failed"
    yield "\n".join(lines)
    if len(own) > MOST_ROWS:
        yield f"{len(own) - MOST_ROWS} more are in junit.xml."


def _traces(cases: Sequence[Case]) -> Iterator[str]:
    shown = [(case, found) for case in cases if case.red and (found := trace_of(case))]
    if shown:
        yield "## Counterexamples"
    for case, (trace, meta) in shown[:_MOST_TRACES]:
        text = drawn(_shown, trace, meta)
        if text is None or len(text) > _MOST_CHARACTERS:
            text = f"It is not shown here: {len(trace)} states."
        title = _text(f"{case.suite}: {case.name}")
        yield f"<details><summary>{title}</summary>\n\n{text.strip()}\n\n</details>"
    if len(shown) > _MOST_TRACES:
        yield f"{len(shown) - _MOST_TRACES} more are in failures/."


def _shown(trace: Trace, meta: Mapping[str, Any]) -> str:
    return _fenced(written("text", trace, meta))


def _counts(cases: Sequence[Case]) -> str:
    rows: dict[str, Counter[Status]] = {}
    for case in cases:
        rows.setdefault(_group(case), Counter())[case.status] += 1
    lines = ["| cases | passed | failures | errors | skipped |", "|---|--:|--:|--:|--:|"]
    lines += [
        f"| {name} | {' | '.join(str(counts[status]) for status in Status)} |"
        for name, counts in rows.items()
    ]
    return "\n".join(lines)


def _group(case: Case) -> str:
    if case.suite in {"claims", "worked examples", "logs", "modules", "plan"}:
        return case.suite
    return "mutants" if case.suite.startswith("mutants of ") else "models × properties"


def _pins(pins: Sequence[PinRow]) -> Iterator[str]:
    if not pins:
        return
    wrong = [row for row in pins if row.pinned is None or row.measured != row.pinned]
    yield f"Pinned counts: {len(pins) - len(wrong)} of {len(pins)} models are as pinned."
    if wrong:
        lines = ["| model | pinned | measured |", "|---|---|---|"]
        lines += [
            f"| {_text(row.model)} | {row.pinned or 'none'} | {row.measured or 'not measured'} |"
            for row in wrong[:MOST_ROWS]
        ]
        yield "\n".join(lines)


def _text(text: str, most: int = 240) -> str:
    """Write text so that Markdown shows it as it is, on one line that is not too long, without mentions of users."""
    one = clean(" ".join(text.split()))
    one = one if len(one) <= most else f"{one[:most]} ..."
    marked = _MARKS.sub(lambda match: f"&#{ord(match[0])};", escape(one)).replace("@", "@\u200b")
    return _LINKS.sub(
        lambda match: f"&#{ord(match[0][0])};{match[0][1:]}", marked
    )  # GitHub makes links of them


def _fenced(text: str) -> str:
    """Write text as a block that is shown as it is; nothing in it can end the block."""
    fence = "~" * max(4, 1 + max(map(len, re.findall("~+", text)), default=0))
    lines = clean("\n".join(text.splitlines()))
    return f"{fence}text\n{lines}\n{fence}"
