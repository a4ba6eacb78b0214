"""The traces that a report links to, each on a page of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from pyharness.base.toolchain.code_digest import code_digest
from pyharness.gate.judge.refused_traces import mismatch_trace, refused_trace
from pyharness.models.table_rows import CORRECT
from pyharness.show.report.formats.export_formats import written
from pyharness.show.report.formats.trace_text import to_text
from pyharness.show.report.run.page_templates import text_page
from pyharness.tla.tlc.itf import from_itf

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pyharness.base.toolchain.kept_texts import KeptTexts
    from pyharness.gate.judge.plan_report import AnyReport
    from pyharness.models.table_rows import TraceRow

MOST_PAGES: Final = 10
"""The greatest number of traces of one model that have a page."""


@dataclass(frozen=True, slots=True)
class TracePage:
    """A page: its file below the report, the words of links to it, and its trace's model, mutant, length and ITF."""

    file: str
    label: str
    model: str
    spec: str
    mutant: str | None
    length: int
    itf: str


def trace_pages(models: Sequence[AnyReport]) -> tuple[TracePage, ...]:
    """Choose the traces: each mutant's shortest, every violation of another model, what the implementation refused."""
    shortest: dict[tuple[str, str | None], tuple[AnyReport, TraceRow]] = {}
    found: list[TracePage] = []
    for report in models:
        if report.model.mutant is None:
            found += [_page(report, row, label) for row, label in _telling(report)]
            continue
        for row in _counterexamples(report):
            key = (report.model.spec, report.model.mutant)
            if key not in shortest or row.length < shortest[key][1].length:
                shortest[key] = (report, row)
    found += [_page(report, row, str(row.violated)) for report, row in shortest.values()]
    return tuple(found)


def _counterexamples(report: AnyReport) -> Iterator[TraceRow]:
    return (row for row in report.evidence.traces if row.kind == "counterexample" and row.itf)


def _telling(report: AnyReport) -> list[tuple[TraceRow, str]]:
    refused = {
        (row.kind, row.index): row
        for row in report.evidence.replays
        if row.implementation == CORRECT and not row.agreed and row.kind == "simulation"
    }
    shown_traces: list[tuple[TraceRow, str]] = [
        (row, str(row.violated or "a violation")) for row in _counterexamples(report)
    ]
    for row in report.evidence.traces:
        key = (row.kind, row.index)
        if key in refused and row.itf:
            replay = refused[key]
            label = f"simulated trace {row.index}, refused at step {replay.diverged_at}"
            shown_traces.append((refused_trace(row, replay), label))
    shown_traces += [
        (shown, f"where spec and implementation differ by {mismatch.action}")
        for mismatch in report.evidence.conformance[:1]
        if (shown := mismatch_trace(mismatch)) is not None
    ]
    return shown_traces[:MOST_PAGES]


def _page(report: AnyReport, row: TraceRow, label: str) -> TracePage:
    model = report.model
    name = f"{model.spec}-{model.mutant}" if model.mutant else f"{model.name}-{row.kind}-{row.index}"
    stem = re.sub(r"[^A-Za-z0-9-]+", "_", name)[:120]
    return TracePage(f"traces/{stem}.html", label, model.name, model.spec, model.mutant, row.length, row.itf)


def write_traces(pages: Sequence[TracePage], directory: Path, kept: KeptTexts) -> None:
    """Write the pages below ``directory``, those that are ``kept`` as they are; a trace that cannot be drawn is text.

    Raises SpecError for a trace that is not ITF.
    """
    code = code_digest("base", "tla", "machines", "show/report") if pages else ""
    for page in pages:
        path = directory / page.file
        path.parent.mkdir(exist_ok=True)
        try:
            text = kept.text((code, page.itf), partial(_drawn, page))
        except Exception as error:  # noqa: BLE001 - no error of one picture may stop the report
            trace, _ = from_itf(page.itf, where=page.file)
            text = text_page(f"{page.mutant or page.model}: {page.label}", to_text(trace), str(error))
        path.write_text(text, encoding="utf-8")


def _drawn(page: TracePage) -> str:
    return written("html", *from_itf(page.itf, where=page.file))
