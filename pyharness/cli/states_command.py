"""``pyharness states``: a small state graph as a picture, of a shipped spec or of any module."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.clean_text import cleaned
from pyharness.base.toolchain.own_files import write_named
from pyharness.base.topology import NOTATION, parse_topology
from pyharness.cli.application_options import setting_of, setting_options
from pyharness.cli.file_graph import graph_options, open_file, read_file_graph, require_no_file_options
from pyharness.cli.library.model_checks import is_module_file
from pyharness.cli.one_model import named_mutant
from pyharness.cli.shared_options import FILE
from pyharness.gate.plans.requested_model import protocol_model
from pyharness.machines.systems import APPLICATIONS, find_mutant, find_protocol
from pyharness.show.any_spec.spec_graph import picture_of
from pyharness.show.report.state_graphs.state_picture import MOST_STATES, state_graph
from pyharness.show.report.state_graphs.state_svg import states_svg

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.show.report.state_graphs.state_picture import StateGraph


@click.command()
@click.argument("subject", metavar="SPEC[:MUTANT]|FOO.tla")
@click.option("--topology", "wanted", metavar=NOTATION, help="Of SPEC: a graph, such as ring:2.")
@setting_options
@graph_options
@click.option("--out", type=FILE, help="An SVG file; default standard output.")
def states(
    subject: str,
    *,
    wanted: str | None,
    setting: Mapping[str, Any],
    config: Path | None,
    libraries: tuple[Path, ...],
    seconds: int | None,
    out: Path | None,
) -> None:
    """Draw all states of the implementation of SPEC, or of its MUTANT, on one graph, or of the module FOO.tla.

    \b
      pyharness states ChandyLamport:LateTurn --topology ring:2 --items 1 --out states.svg
      pyharness states Mutex.tla --config MC.cfg --out states.svg

    The states stand in rows by depth. Those of SPEC are followed as far as its snapshot goes, and have a circle for
    each process, filled if it is red. Those of FOO.tla are all that TLC finds under its configuration, as `check` takes
    it, with the values of the variables; where an invariant does not hold, they are red.

    Exits with 2 for bad input, and when there are more states than anyone can read, which are 80; with 3 if TLC was
    not through, so that not all states were seen; with 4 if a tool failed.
    """  # noqa: D301 - click reads the \b
    if is_module_file(subject):
        model, reader = open_file(
            Path(subject),
            "states",
            config=config,
            libraries=libraries,
            setting=setting,
            seconds=seconds,
        )
        graph, title = picture_of(model, read_file_graph(model, reader, MOST_STATES)), model.heading
    else:
        require_no_file_options(subject)
        graph, title = _of_protocol(subject, wanted, setting_of(setting))
    text = states_svg(graph, title)
    for note in graph.notes:
        click.echo(f"note: {cleaned(note)}", err=True)
    if out is None:
        click.echo(text, nl=False)
        return
    write_named(out, text)
    click.echo(f"{len(graph.nodes):,} states in {out}")


def _of_protocol(subject: str, wanted: str | None, setting: Mapping[str, Any]) -> tuple[StateGraph, str]:
    """Explore the implementation of a spec, or of its mutant; return the graph and its title. Raises SpecError."""
    spec, mutant = named_mutant(subject)
    find_protocol(spec)
    if mutant:
        find_mutant(spec, mutant)
    if wanted is None:
        raise SpecError("the states of a spec need a graph", where="--topology", hint="such as ring:2")
    topology = parse_topology(wanted, where="--topology")
    model = protocol_model(spec, (topology,), **setting)
    graph = state_graph(model.system(topology, mutant))
    title = f"{subject} on {topology.id}" + (
        f", {model.items} item{'s'[: model.items > 1]}" if APPLICATIONS[model.application].items else ""
    )
    return graph, title
