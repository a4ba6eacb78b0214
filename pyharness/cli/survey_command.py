"""``pyharness survey``: look at a sample of many or large graphs, and say what the whole would take."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.machine_size import cores
from pyharness.base.toolchain.own_files import require_file_place, write_named
from pyharness.cli.progress import Saying
from pyharness.cli.shared_options import DIRECTORY, FILE, specs_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.lab.survey.graph_record import GraphRecord
    from pyharness.lab.survey.survey_result import Group
    from pyharness.models.model import Model

_FORMAT: Final = "pyharness-survey/1"

_PATIENCE: Final = 20
"""Wall seconds for each CPU second, on a machine that does other work too."""


@click.command()
@click.argument("spec")
@click.option(
    "--processes",
    type=click.IntRange(1, 6),
    multiple=True,
    default=(5,),
    show_default=True,
    help="May be repeated.",
)
@click.option(
    "--items",
    type=click.IntRange(1, 9),
    multiple=True,
    default=(1,),
    show_default=True,
    help="May be repeated.",
)
@click.option("--sample", type=click.IntRange(1), default=100, show_default=True, help="Graphs of each size.")
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Of the sample and the simulation."
)
@click.option(
    "--channels-max", type=click.IntRange(1), metavar="M", help="Of the graphs with at most M channels."
)
@click.option(
    "--property", "properties", multiple=True, metavar="NAME", help="Check this alone; may be repeated."
)
@click.option(
    "--seconds",
    type=click.IntRange(1),
    default=60,
    show_default=True,
    help="CPU time for all states of a graph.",
)
@click.option(
    "--behaviours",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Simulated where that is too short.",
)
@click.option(
    "--steps", type=click.IntRange(1), default=200, show_default=True, help="Of a behaviour, at most."
)
@click.option(
    "--jobs", type=click.IntRange(1), default=cores, show_default="all cores", help="Graphs at a time."
)
@click.option(
    "--out",
    type=DIRECTORY,
    default=Path("build/survey"),
    show_default=True,
    help="Keeps each graph's record.",
)
@click.option("--page", type=FILE, help="Write a Markdown page, and its plot beside it.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@specs_option
@click.pass_context
def survey(
    context: click.Context,
    spec: str,
    *,
    processes: Sequence[int],
    items: Sequence[int],
    sample: int,
    seed: int,
    channels_max: int | None,
    properties: Sequence[str],
    seconds: int,
    behaviours: int,
    steps: int,
    jobs: int,
    out: Path,
    page: Path | None,
    as_json: bool,
    specs: Path,
) -> None:
    """Look at a random sample of the strongly connected graphs of some sizes, each within a budget.

    \b
      pyharness survey ChandyLamport --processes 5 --sample 100
      pyharness survey WhiteRed --processes 3 --processes 4 --items 1 --items 2

    A graph whose states are too many for --seconds is simulated instead, and counted apart: that is no check. The
    costs are fitted against the number of channels, and projected onto all graphs and onto clusters. What was found is
    kept in --out, so that a survey that was interrupted goes on.

    Exits with 1 if a graph violates a property, with 3 if one could be looked at in no way, 2 for bad input, 4 if a
    tool failed.
    """  # noqa: D301 - click reads the \b
    from pyharness.base.toolchain.spec_files import find_plan  # noqa: PLC0415
    from pyharness.base.topology import generate  # noqa: PLC0415
    from pyharness.gate.plans.plan import read_plan  # noqa: PLC0415
    from pyharness.gate.plans.requested_model import requested_model  # noqa: PLC0415
    from pyharness.lab.survey.sampled_survey import Survey, Walks, sample_of  # noqa: PLC0415
    from pyharness.lab.survey.survey_result import groups_of, survey_verdict  # noqa: PLC0415
    from pyharness.models.bounds import Budget  # noqa: PLC0415
    from pyharness.models.machine_tools import find_tools  # noqa: PLC0415
    from pyharness.show.report.survey_page import survey_lines  # noqa: PLC0415

    if page is not None:
        if page.suffix == ".svg":
            raise SpecError("this is the place of the page's plot", where=str(page), hint="name a file .md")
        require_file_place(page.with_suffix(".svg"))
    plan = read_plan(find_plan("quick", specs), specs)
    wanted = [
        requested_model(spec, plan, properties=properties or None, items=count)
        for count in dict.fromkeys(items)
    ]
    initiators = len(wanted[0].topologies[0].initiators)
    whole: dict[int, list[int]] = {}
    models: list[Model] = []
    for size in dict.fromkeys(processes):
        graphs = list(generate(size, initiators=initiators, channels_max=channels_max))
        whole[size] = [len(graph.channels) for graph in graphs]
        for model in wanted:
            budget = Budget(_PATIENCE * seconds, model.budget.heap_mb, seconds)
            models += [
                replace(model, topologies=(graph,), budget=budget)
                for graph in sample_of(graphs, sample, seed)
            ]
    told = _Told(len(models))
    found = Survey(plan.library, find_tools(specs), Walks(behaviours, steps, seed), out).records(
        models, jobs, told
    )
    groups = groups_of(found, whole, seconds)
    if page is not None:
        _write_page(page, spec, seconds, groups)
    if as_json:
        click.echo(json.dumps(_document(spec, found, groups), indent=2))
    else:
        click.echo("\n".join(survey_lines(groups)))
    context.exit(survey_verdict(found))


class _Told:
    """Says how far the survey is."""

    def __init__(self, of: int) -> None:
        self._of, self._done, self._say = of, 0, Saying()

    def __call__(self, record: GraphRecord) -> None:
        self._done += 1
        self._say(f"{self._done} of {self._of}: {record.topology}: {record.reach.value}")


def _write_page(page: Path, spec: str, budget: int, groups: Sequence[Group]) -> None:
    from pyharness.show.report.run.charts import can_draw  # noqa: PLC0415
    from pyharness.show.report.survey_page import survey_page, survey_plot  # noqa: PLC0415

    plot = page.with_suffix(".svg")
    if can_draw():
        write_named(plot, survey_plot(groups))
    command = " ".join(["pyharness", *sys.argv[1:]])
    text = survey_page(spec, command, budget, groups, plot.name if can_draw() else None)
    write_named(page, text)


def _document(spec: str, found: Sequence[GraphRecord], groups: Sequence[Group]) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "spec": spec,
        "groups": [
            {
                "processes": group.processes,
                "items": group.items,
                "graphs": group.graphs,
                **{reach.value: count for reach, count in group.reached.items()},
                "fit": None if group.fit is None else asdict(group.fit),
                "projection": None if group.projection is None else asdict(group.projection),
            }
            for group in groups
        ],
        "records": [record.to_document() for record in found],
    }
