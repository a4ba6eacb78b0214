"""The result of a run of a plan: as a table people read at a glance, and as a JSON document."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pyharness.base.toolchain.clean_text import cleaned
from pyharness.gate.judge.cover import left_out
from pyharness.models.verdicts import Verdict
from pyharness.show.report.run.report_contents import concerned_claims, conforming, model_view, reasons_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.gate.judge.claim_coverage import ClaimRow, PartRow
    from pyharness.gate.judge.kill_matrix import KillMatrix
    from pyharness.gate.judge.plan_report import AnyReport, PlanReport

FORMAT = "pyharness-check/1"

_COMPARED = ("states", "transitions", "mismatches", "tlc_seconds", "seconds")


def to_document(report: PlanReport, seconds: float) -> str:
    """Return the report as JSON text, version :data:`FORMAT`; ``seconds`` is the wall time of the run."""
    document = {
        "format": FORMAT,
        "plan": report.plan.name,
        "verdict": report.verdict.text,
        "selection": not report.plan.complete,
        "notes": [*report.plan.notes, *report.plan.tools],
        "seconds": round(seconds, 1),
        "jobs": report.jobs,
        "reused": report.reused,
        "reasons": list(report.reasons),
        "models": [_model(model) for model in report.all],
        "claims": [
            {
                "id": row.claim.id,
                "says": row.claim.says,
                "models": list(row.models),
                "states": row.states,
                "mutants": list(row.mutants),
                "unchecked": list(row.unchecked),
                "parts": [part_document(part) for part in row.parts],
            }
            for row in report.claims
        ],
        "matrix": matrix_document(report.matrix),
        "examples": [asdict(row) for row in report.examples],
        "logs": [asdict(row) for row in report.logs],
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def part_document(row: PartRow) -> dict[str, Any]:
    """Return a part of a claim as a JSON object: its properties, its needs, and its evidence."""
    part = row.part
    return {
        "says": part.says,
        "properties": list(part.properties),
        "refuted": list(part.refuted),
        "harness": part.harness,
        "where": dict(part.where),
        "needs": list(part.needs),
        "models": [asdict(model) for model in row.models],
        "states": row.states,
        "mutants": list(row.mutants),
        "lacking": list(row.lacking),
    }


def matrix_document(matrix: KillMatrix) -> dict[str, Any]:
    """Return the kill matrix as a JSON object; topology and trace length are of the first to catch a mutant."""
    return {
        "mutants": [
            {
                "name": row.name,
                "spec": row.spec,
                "killed_by": [kill.property for kill in row.kills],
                "topology": row.kills[0].topology if row.kills else None,
                "trace_length": row.kills[0].length if row.kills else None,
                "kills": [asdict(kill) for kill in row.kills],
            }
            for row in matrix.mutants
        ],
        "properties": [asdict(row) for row in matrix.properties],
        "survivors": list(matrix.survivors),
        "idle_properties": list(matrix.idle_properties),
    }


def _model(report: AnyReport) -> dict[str, Any]:
    model, evidence, view = report.model, report.evidence, model_view(report, ())
    violated = {run.violated for run in evidence.runs if run.kind == "check" and run.violated}
    return {
        "name": view.name,
        "spec": view.spec,
        "mutant": view.mutant,
        "properties": list(view.properties),
        "verdict": view.verdict,
        "reasons": list(view.reasons),
        "expected": model.expect,
        "caught_by": sorted(violated),
        "topologies": [asdict(topology) for topology in view.topologies],
        "distinct": view.distinct,
        "generated": view.generated,
        "depth": view.depth,
        "actions": {action.name: action.total for action in view.actions},
        "seconds": round(view.seconds, 1),
        "trace_length": min(
            (row.length for row in evidence.traces if row.kind == "counterexample"), default=None
        ),
        "replays": {
            "asked": model.simulate.traces if model.simulate else 0,
            "replayed": len(evidence.replays),
            "agreed": sum(bool(row.agreed) for row in evidence.replays),
            "refused": sum(not row.agreed for row in evidence.replays),
        },
        "conformance": [
            {key: getattr(row, key) for key in _COMPARED}
            for row in evidence.conformances
            if row.error is None
        ],
        "reordered": view.reordered,
        "unreached": [row.witness for row in view.witnesses if not row.reached],
        "notes": list(view.notes),
    }


def print_summary(report: PlanReport, seconds: float) -> str:
    """Print, and return, the tables of models and of claims, the reasons of every other verdict than a pass, and the closing line.

    Mutants that are caught as expected have no row of their own: ``pyharness plan mutants`` prints the matrix.
    """
    console = Console(record=True) if sys.stdout.isatty() else Console(width=118, record=True)
    table = Table(
        "model", "graphs", "states", "replayed", "compared", "result", title=f"plan {report.plan.name}"
    )
    views = [model_view(model, ()) for model in report.all]
    for model, view in zip(report.all, views, strict=True):
        if view.mutant and model.verdict is Verdict.PASS:
            continue
        compared = sum(row.transitions or 0 for row in model.evidence.conformances)
        colour = "green" if model.verdict is Verdict.PASS else "bold red"
        table.add_row(
            view.name,
            str(len(view.topologies) or ""),
            f"{view.distinct:,}" if view.distinct is not None else "?",
            view.replays,
            f"{compared:,}" if compared else "",
            f"[{colour}]{escape(view.result)}[/]",
        )
    console.print(table)
    if claims := concerned_claims(report):
        console.print(_claims(report, claims))
    for reason in reasons_of(report, views):
        for line in reason.lines:
            console.print(f"{reason.about}: {reason.verdict}: {cleaned(line)}", markup=False, style="red")
    console.print(closing_line(report, seconds), markup=False, highlight=False)
    return console.export_text().rstrip("\n")


def _claims(report: PlanReport, claims: Sequence[ClaimRow]) -> Table:
    """Make a table of the claims: the models that check each, and the mutants that show that the check works.

    A run of some models may check a claim in part.
    """
    table = Table("claim", "says", "parts", "models", "states", "mutants", "proved", "result", title="claims")
    passed = {name for name, verdict in report.verdicts.items() if verdict is Verdict.PASS}
    for row in claims:
        failing = [name for name in row.models if name not in passed]
        parts = [*(part.part.says for part in row.parts if part.lacking), *row.unproved]
        lacking = [*(parts if report.plan.complete else ()), *failing]
        result = "[green]checked[/]" if not row.unchecked else "[yellow]in part[/]"
        table.add_row(
            row.claim.id,
            escape(row.claim.says),
            _checked_parts(row),
            str(len(row.models)) if row.models else ", ".join(row.claim.harness),
            f"{row.states:,}",
            str(len(row.mutants)),
            row.proved,
            f"[bold red]not checked: {escape(', '.join(lacking))}[/]" if lacking else result,
        )
    return table


def _checked_parts(row: ClaimRow) -> str:
    """Return how many parts of a claim are checked, of how many."""
    return f"{sum(not part.lacking for part in row.parts)}/{len(row.parts)}"


def closing_line(report: PlanReport, seconds: float) -> str:
    """Return a run in one line: its verdict and its figures."""
    matrix, claims = report.matrix, concerned_claims(report)
    part = "" if report.plan.complete else "cover " if report.plan.cover else "selection "
    verdict = f"{part}{report.verdict.text}".upper()
    notes = f" ({'; '.join(map(cleaned, report.plan.notes))})" if report.plan.notes else ""
    graphs = {topology.id for model in report.models for topology in model.model.topologies}
    conform, replays = conforming(report.models), sum(len(m.evidence.replays) for m in report.models)
    reordered = sum(bool(r.accepted) for m in report.models for r in m.evidence.reorderings)
    # A plan that is to check all claims must have everything, so of it every figure is printed.
    complete = report.plan.complete and report.plan.claims
    parts = [
        f"{len(report.models)} model{'s'[: len(report.models) != 1]} on {len(graphs)} graph{'s'[: len(graphs) != 1]}"
        if report.models or not report.modules
        else "",
        f"{len(report.modules)} module{'s'[: len(report.modules) != 1]} without graphs"
        if report.modules
        else "",
        f"{report.states:,} states",
        f"{sum(not row.unchecked for row in claims)} of {len(claims)} claims checked "
        f"({sum(not part.lacking for row in claims for part in row.parts)} of "
        f"{sum(len(row.parts) for row in claims)} parts)"
        if complete
        else "",
        f"{len(matrix.mutants) - len(matrix.survivors)} of {len(matrix.mutants)} mutants caught"
        if complete or matrix.mutants
        else "",
        f"{len(matrix.properties) - len(matrix.idle_properties)} of {len(matrix.properties)} properties catch one"
        if complete or (report.plan.complete and matrix.mutants)
        else "",
        f"{sum(r.verdict == Verdict.PASS.text for r in report.examples)} of {len(report.examples)} worked examples"
        if complete or report.examples
        else "",
        f"{sum(r.verdict == Verdict.PASS.text for r in report.logs)} of {len(report.logs)} logs"
        if report.logs
        else "",
        f"{conform:,} transitions conform" if complete or conform else "",
        f"{replays} replays" if complete or replays else "",
        f"{reordered} traces reordered" if complete or reordered else "",
        f"{seconds:.0f} s ({report.reused} of {report.jobs} jobs taken over from an earlier run)",
    ]
    tools = f"; with {', '.join(map(cleaned, report.plan.tools))}" if report.plan.tools else ""
    least = f"; left out: {left_out(report.plan)}" if report.plan.cover else ""
    return f"{verdict}{notes}: {', '.join(filter(None, parts))}{least}{tools}"
