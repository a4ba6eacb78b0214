"""A survey as a Markdown page, with a plot beside it where there is something to draw with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pyharness.lab.survey.graph_record import Reach
from pyharness.show.report.run.charts import spec_of, svg

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.lab.survey.graph_record import GraphRecord
    from pyharness.lab.survey.survey_result import Group

_HEAD = """\
# {spec} on graphs that are too many to check

<!-- made by `{command}`; do not edit -->

A graph is checked in all its states if that takes at most {budget} CPU seconds, TLC's start included, and is otherwise
simulated: a graph that was only simulated is **not** checked, and the tables count it apart.

"""


def survey_lines(groups: Iterable[Group]) -> list[str]:
    """Return a survey in words, a line for each number of processes and items."""
    return [_line(group) for group in groups]


def _line(group: Group) -> str:
    reached = group.reached
    parts = [
        f"{reached[Reach.ALL_STATES]} in all states",
        f"{reached[Reach.SIMULATED]} by simulation only",
    ]
    parts += [
        f"{reached[reach]} {reach.value}" for reach in (Reach.VIOLATED, Reach.UNDECIDED) if reached[reach]
    ]
    looked = f"{len(group.records):,} of {group.graphs:,} graphs"
    return f"{_kind(group)}: {looked}: {', '.join(parts)}"


def _kind(group: Group) -> str:
    return f"{group.processes} processes, {group.items} item{'s' if group.items > 1 else ''}"


def survey_page(
    spec: str, command: str, budget: int, groups: Sequence[Group], plot: str | None = None
) -> str:
    """Return the page. ``command`` is what made it, ``plot`` the name of the picture beside it."""
    parts = [_HEAD.format(spec=spec, command=command, budget=budget)]
    parts += [f"- {line}\n" for line in survey_lines(groups)]
    if plot is not None:
        parts.append(f"\n![CPU seconds by channels, for each number of processes and items]({plot})\n")
    parts.append("\n## How the cost grows\n\n")
    parts.append(_table(
        ("processes", "items", "CPU seconds with n channels", "spread", "runs that ended", "cut off"),
        [
            (str(g.processes), str(g.items), f"{g.fit.base:.2g} x {g.fit.factor:.2f}^n", f"x {_times(g.fit.spread)}",
             str(g.fit.ended), str(g.fit.cut))
            for g in groups if g.fit is not None
        ],
    ))  # fmt: skip
    parts.append(
        "\nHalf of the graphs cost less, and two thirds are within the spread. A run that was cut off counts as one\n"
        "that costs more than the cut.\n"
    )
    parts.append("\n## All graphs\n\n")
    parts.append(_table(
        ("processes", "items", "graphs", "in all states", "core hours", "without a budget", *_cores(groups)),
        [
            (str(g.processes), str(g.items), f"{p.graphs:,}", f"{p.exhaustive:,}", _hours(p.seconds),
             _hours(p.unbounded), *(_hours(time) for time in p.makespans.values()))
            for g in groups if (p := g.projection) is not None
        ],
    ))  # fmt: skip
    parts.append(
        "\nProjected: each graph's cost is drawn from the fit, and the schedule is simulated, with the graphs of most\n"
        "channels first.\n"
    )
    for group in groups:
        parts.append(f"\n## {_kind(group).capitalize()}\n\n")
        parts.append(_table(
            ("channels", "graphs", "sampled", "in all states", "states (median)", "CPU seconds (median)"),
            [
                (str(row.channels), f"{row.graphs:,}", str(row.sampled), str(row.exhaustive),
                 "" if row.states is None else f"{row.states:,.0f}",
                 "" if row.seconds is None else f"{row.seconds:.1f}")
                for row in group.rows
            ],
        ))  # fmt: skip
        parts += _not_checked(group.records)
    return "".join(parts)


def _not_checked(records: Iterable[GraphRecord]) -> list[str]:
    wrong = [record for record in records if record.reach in {Reach.VIOLATED, Reach.UNDECIDED}]
    return [f"\n- `{record.topology}`: {record.reach.value}: {record.why}\n" for record in wrong]


def survey_plot(groups: Iterable[Group]) -> str:
    """Draw every graph's cost by its channels, as SVG. Needs the extra ``charts``."""
    rows: list[dict[str, Any]] = [
        {"kind": _kind(group), "channels": record.channels, "seconds": max(record.seconds, 0.01),
         "reach": record.reach.value}
        for group in groups
        for record in group.records
    ]  # fmt: skip
    spec = spec_of(
        rows,
        width=540,
        height=320,
        mark={"type": "point", "size": 50, "opacity": 0.75},
        encoding={
            "x": {"field": "channels", "type": "quantitative", "title": "channels", "scale": {"zero": False}},
            "y": {
                "field": "seconds",
                "type": "quantitative",
                "scale": {"type": "log"},
                "title": "CPU seconds",
            },
            "color": {"field": "kind", "title": None, "legend": {"columns": 2, "columnPadding": 24}},
            "shape": {"field": "reach", "title": None, "legend": {"columns": 2, "columnPadding": 24}},
        },
    )
    return str(svg(("Cost by channels", "a mark is one graph; the scale of seconds is logarithmic", spec)))


def _cores(groups: Iterable[Group]) -> list[str]:
    cores = next((group.projection.makespans for group in groups if group.projection is not None), {})
    return [f"hours on {count} cores" for count in cores]


def _hours(seconds: float) -> str:
    hours = seconds / 3600
    return f"{hours:,.0f}" if hours >= 100 else f"{hours:.2g}"


def _times(spread: float) -> str:
    return f"{math.exp(spread):.1f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines) + "\n"
