"""The pages of a run report as HTML: no network, no script or style but those whose digests the page names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from pyharness.proof.expectations import label
from pyharness.report.run.charts import svg
from pyharness.report.run.earlier_runs import points
from pyharness.report.run.page_templates import ENVIRONMENT, own_file
from pyharness.report.run.thumbnails import described, symbol
from pyharness.report.trace.trace_page import content_policy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.report.run.charts import Chart
    from pyharness.report.run.report_contents import Contents

_MEANINGS: Final = {
    "pass": "Every model has the result that the plan expects, with all the evidence for it.",
    "incomplete": "Evidence is missing, so nothing is proved: this is no pass.",
    "error": "A tool failed: this is no pass.",
    "spec error": "A plan or a spec is wrong: this is no pass.",
    "nonconformance": "Spec and implementation differ.",
    "violation": "A property that must hold is violated, or one that must be violated holds.",
}

_SECTIONS: Final = (
    ("changes", "Changes"),
    ("claims", "Claims"),
    ("models", "Models"),
    ("mutants", "Mutants"),
    ("conformance", "Conformance"),
    ("coverage", "Coverage"),
    ("examples", "Examples"),
    ("specs", "Specs"),
    ("charts", "States and time"),
    ("history", "Runs"),
    ("again", "Run it again"),
)


def run_page(run: Contents, charts: Sequence[Chart], notes: Sequence[str] = ()) -> str:
    """Write the report's page; ``notes`` are shown under the verdict."""
    there = {
        "changes": run.changes is not None,
        "claims": run.claims,
        "models": run.specs or run.tables,
        "mutants": run.tables,
        "conformance": run.conformances or run.held,
        "coverage": run.coverage,
        "examples": run.examples,
        "specs": run.plain,
        "charts": charts,
        "history": len(run.runs) > 1,
    }
    script, style = own_file("run.js"), own_file("run.css")
    return ENVIRONMENT.get_template("run.html.jinja").render(
        run=run,
        proof_label=label(),
        notes=notes,
        meaning=_MEANINGS.get(run.verdict, ""),
        sections=[(name, says) for name, says in _SECTIONS if there.get(name, True)],
        described={topology.id: described(topology) for topology in run.topologies},
        symbols=[symbol(topology) for topology in run.topologies],
        drawn=[(chart[0], chart[1], svg(chart)) for chart in charts],
        trends=_trends(run),
        script=script,
        style=style,
        policy=content_policy(style, script),
    )


def charts_page(plan: str, charts: Sequence[Chart], vega: str) -> str:
    """Write the page of the interactive charts, about 1 MB, most of it ``vega``, the script that draws them."""
    script, style = Markup(vega) + own_file("charts.js"), own_file("run.css")  # noqa: S704 - Vega's, and ours
    return ENVIRONMENT.get_template("charts.html.jinja").render(
        plan=plan,
        charts=charts,
        specs=[spec for _, _, spec in charts],
        script=script,
        style=style,
        policy=content_policy(style, script),
    )


def unfinished_page(plan: str, began: str, says: str) -> str:
    """Write the page that stands in for the report while a run is under way, and stays when it breaks off."""
    style = own_file("run.css")
    return ENVIRONMENT.get_template("unfinished.html.jinja").render(
        plan=plan, began=began, says=says, style=style, policy=content_policy(style)
    )


def _trends(run: Contents) -> list[tuple[str, str, str]]:
    runs = [past for past in run.runs if past.whole == run.whole]
    figures = {
        "states": [float(past.states) for past in runs],
        "transitions compared": [float(past.transitions) for past in runs],
        "seconds of TLC": [past.tlc_seconds for past in runs],
        "seconds in all": [past.seconds for past in runs],
    }
    return [
        (name, points(values, 200, 40), f"{values[-1]:,.0f}") for name, values in figures.items() if values
    ]
