"""Where the states and the time went: Vega-Lite charts, as SVG in the report and interactive on a page of their own.

Both are drawn offline: vl-convert has Vega, which the interactive page carries in itself. It is an extra: where it is
not installed there are no charts, and the report says so.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from pyharness.base.toolchain.extras import install, missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyharness.gate.judge.plan_report import PlanReport
    from pyharness.show.report.run.earlier_runs import PastRun

MISSING: Final = f"No charts: vl-convert-python is not installed ({install('charts')})."
"""What the report says where there is nothing to draw with."""

Chart = tuple[str, str, dict[str, Any]]
"""A chart's name, the sentence under it, and its Vega-Lite specification."""

_INK: Final = "#101112"
_FAINT: Final = "#707172"
_GRID: Final = "#d0d1d2"
"""Colours that the style sheet replaces, in light and in dark."""

_KINDS: Final = {
    "check": "#3f87bd",
    "reach": "#54a08c",
    "simulate": "#c08a2e",
    "TLC's graph": "#8a6fb0",
    "comparison": "#b399d4",
}
"""The parts of a run's time, in the order in which they are stacked."""

_MOST_ROWS: Final = 30
"""So many models have a line in a chart at most."""

_WIDE: Final = 540
_POWERS: Final = {"values": [10**power for power in range(-1, 10)], "format": "~s"}
_CONFIG: Final = {
    "background": None,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": _INK, "titleColor": _FAINT, "gridColor": _GRID, "domainColor": _GRID, "tickColor": _GRID,
        "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "labelLimit": 260,
    },
    "legend": {"labelColor": _INK, "titleColor": _FAINT, "labelFontSize": 11, "titleFontSize": 11,
               "orient": "bottom", "columns": 3, "layout": {"bottom": {"margin": 40}}},
}  # fmt: skip


def can_draw() -> bool:
    """Tell whether vl-convert is installed."""
    return not missing("charts")


def charts(report: PlanReport, runs: Sequence[PastRun]) -> tuple[Chart, ...]:
    """Choose the charts that have something to show; none where there is nothing to draw with."""
    if not can_draw():
        return ()
    drawn = (_states(report), _time(report), _speed(report), _history(runs))
    return tuple(chart for chart in drawn if chart is not None)


def svg(chart: Chart) -> Markup:
    """Draw a chart as SVG whose text says what it shows; a place with less room makes it smaller, none larger."""
    import vl_convert  # noqa: PLC0415 - an extra

    name, says, spec = chart
    drawn = str(vl_convert.vegalite_to_svg(spec))
    label = Markup('<svg role="img" aria-label="{}: {}" ').format(name, says)
    return label + Markup(drawn.removeprefix("<svg "))  # noqa: S704 - drawn by Vega, which escapes its texts


def bundle() -> str:
    """Return the JavaScript of Vega, Vega-Lite and Vega-Embed, which the interactive page carries."""
    import vl_convert  # noqa: PLC0415 - an extra

    return str(vl_convert.javascript_bundle())  # type: ignore[call-arg] # the stub asks for a snippet


def spec_of(data: list[dict[str, Any]], **parts: Any) -> dict[str, Any]:
    """Return the specification of a chart of ``data`` in the colours and letters of all of them."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "config": _CONFIG,
        "data": {"values": data},
        **parts,
    }


def _states(report: PlanReport) -> Chart | None:
    rows = [
        {"model": m.model.name, "graph": row.topology, "states": row.distinct}
        for m in report.models
        if m.model.mutant is None
        for row in m.evidence.topologies
        if row.distinct
    ]
    if not rows:
        return None
    rows, left_out = _largest(rows, "states", max)
    spec = spec_of(
        rows,
        width=360,
        height={"step": 17},
        mark={"type": "point", "filled": True, "size": 46, "opacity": 0.75, "color": _KINDS["check"]},
        encoding={
            "x": {"field": "states", "type": "quantitative", "scale": {"type": "log"}, "title": "distinct states",
                  "axis": _POWERS},
            "y": {"field": "model", "sort": {"op": "max", "field": "states", "order": "descending"}, "title": None,
                  "axis": {"grid": True, **_names(rows)}},
            "tooltip": [{"field": "model"}, {"field": "graph"}, {"field": "states", "format": ","}],
        },
    )  # fmt: skip
    return "States of each graph", f"a dot is one graph of a model; the scale is logarithmic{left_out}", spec


def _largest(
    rows: list[dict[str, Any]], field: str, together: Callable[[Iterable[float]], float]
) -> tuple[list[dict[str, Any]], str]:
    """Keep the rows of the :data:`_MOST_ROWS` models in which ``field`` comes to most, and say what is left out."""
    size = {row["model"]: together(r[field] for r in rows if r["model"] == row["model"]) for row in rows}
    kept = sorted(size, key=lambda name: -size[name])[:_MOST_ROWS]
    says = f"; the {_MOST_ROWS} largest of {len(size)}" if len(size) > _MOST_ROWS else ""
    return [row for row in rows if row["model"] in kept], says


def _names(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return an axis of models room for their names in any font."""
    longest = max(len(row["model"]) for row in rows)
    return {"ticks": False, "domain": False, "minExtent": min(7 * longest, 240)}


def _time(report: PlanReport) -> Chart | None:
    spent: defaultdict[tuple[str, str], float] = defaultdict(float)
    for m in report.models:
        name = f"mutants of {m.model.spec}" if m.model.mutant else m.model.name
        for run in m.evidence.runs:
            spent[name, run.kind] += run.seconds or 0
        for row in m.evidence.conformances:
            spent[name, "TLC's graph"] += row.tlc_seconds or 0
            spent[name, "comparison"] += row.seconds or 0
    rows = [
        {"model": name, "part": kind, "seconds": round(seconds, 1), "order": [*_KINDS, kind].index(kind)}
        for (name, kind), seconds in spent.items()
        if seconds
    ]
    if not rows:
        return None
    rows, left_out = _largest(rows, "seconds", sum)
    spec = spec_of(
        rows,
        width=360,
        height={"step": 17},
        params=[{"name": "part", "select": {"type": "point", "fields": ["part"]}, "bind": "legend"}],
        mark={"type": "bar", "height": 10},
        encoding={
            "x": {"field": "seconds", "type": "quantitative", "aggregate": "sum", "title": "seconds"},
            "y": {"field": "model", "sort": {"op": "sum", "field": "seconds", "order": "descending"}, "title": None,
                  "axis": _names(rows)},
            "color": {"field": "part", "title": None,
                      "scale": {"domain": list(_KINDS), "range": list(_KINDS.values())}},
            "order": {"field": "order"},
            "opacity": {"condition": {"param": "part", "value": 1}, "value": 0.15},
            "tooltip": [{"field": "model"}, {"field": "part"}, {"field": "seconds", "aggregate": "sum"}],
        },
    )  # fmt: skip
    return (
        "Where the time went",
        f"seconds of TLC and of the comparison, some of them side by side{left_out}",
        spec,
    )


def _speed(report: PlanReport) -> Chart | None:
    rows = [
        {
            "model": m.model.name,
            "spec": m.model.spec,
            "generated": run.generated,
            "seconds": run.seconds,
        }
        for m in report.models
        if m.model.mutant is None
        for run in m.evidence.runs
        if run.kind == "check" and run.generated and run.seconds
    ]
    if len(rows) < 3:
        return None
    spec = spec_of(
        rows,
        width=_WIDE,
        height=260,
        mark={"type": "point", "filled": True, "size": 60, "opacity": 0.75, "color": _KINDS["reach"]},
        encoding={
            "x": {"field": "generated", "type": "quantitative", "scale": {"type": "log"},
                  "title": "generated states", "axis": _POWERS},
            "y": {"field": "seconds", "type": "quantitative", "scale": {"type": "log"}, "title": "seconds of TLC",
                  "axis": _POWERS},
            "tooltip": [{"field": "model"}, {"field": "spec"}, {"field": "generated", "format": ","},
                        {"field": "seconds", "format": ".1f"}],
        },
    )  # fmt: skip
    return "States against time", "a dot is one run of TLC; both scales are logarithmic", spec


def _history(runs: Sequence[PastRun]) -> Chart | None:
    if len(runs) < 2:
        return None
    rows = [{"run": r.began, "verdict": r.verdict, "what": "states", "value": r.states} for r in runs]
    rows += [
        {"run": r.began, "verdict": r.verdict, "what": "seconds", "value": round(r.seconds)} for r in runs
    ]
    spec = spec_of(
        rows,
        width=_WIDE,
        height=90,
        mark={"type": "line", "point": {"filled": True, "size": 40}, "color": _KINDS["check"]},
        encoding={
            "row": {"field": "what", "title": None, "header": {"labelColor": _INK}},
            "x": {"field": "run", "type": "ordinal", "title": None, "axis": {"labels": False, "ticks": False}},
            "y": {"field": "value", "type": "quantitative", "title": None, "axis": {"tickCount": 4, "format": "~s"}},
            "tooltip": [{"field": "run"}, {"field": "verdict"}, {"field": "value", "format": ","}],
        },
        resolve={"scale": {"y": "independent"}},
    )  # fmt: skip
    return "Run by run", "states and wall seconds of the last runs, the oldest on the left", spec
