"""``pyharness states``: a small state graph as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pyharness.cli.conform_command import constants_of
from pyharness.errors import SpecError
from pyharness.plan.model import Model
from pyharness.report.state_graphs.state_picture import state_graph, states_dot
from pyharness.report.state_graphs.state_svg import states_svg
from pyharness.systems import APPLICATIONS, find_mutant, find_protocol
from pyharness.toolchain.own_files import write_named
from pyharness.topology import NOTATION, parse_topology

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["states"]


@click.command()
@click.argument("subject", metavar="SPEC[:MUTANT]")
@click.option("--topology", "wanted", required=True, metavar=NOTATION, help="A graph, such as ring:2.")
@click.option("--items", type=click.IntRange(1, 9), default=1, show_default=True, help="Items that move.")
@click.option(
    "--placement",
    type=click.Choice(["initiator", "spread", "any"]),
    default="spread",
    help="Where they begin.",
)
@click.option(
    "--constant", "given", multiple=True, metavar="NAME=VALUE",
    help="Of a spec about dataflows, such as Records=2 or Mode=unaligned; may be repeated.",
)  # fmt: skip
@click.option("--to", "kind", type=click.Choice(["svg", "dot"]), default="svg", show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="A file; default standard output."
)
def states(
    subject: str,
    *,
    wanted: str,
    items: int,
    placement: str,
    given: Sequence[str],
    kind: str,
    out: Path | None,
) -> None:
    """Draw all states of the implementation of SPEC, or of its MUTANT, on one graph, as far as the snapshot goes.

    The states stand in rows by depth, with a circle for each process, filled if it is red. Exits with 2 when there are
    more states than anyone can read.
    """
    spec, _, mutant = subject.partition(":")
    protocol = find_protocol(spec)
    if mutant:
        find_mutant(spec, mutant)
    topology = parse_topology(wanted, where="--topology")
    model = Model(
        name=subject,
        spec=spec,
        topologies=(topology,),
        items=items,
        placement=placement,
        application=protocol.application,
        constants=constants_of(spec, given),
    )
    graph = state_graph(model.system(topology, mutant or None))
    title = f"{subject} on {topology.id}" + (
        f", {items} item{'s'[: items > 1]}" if APPLICATIONS[protocol.application].items else ""
    )
    text = states_svg(graph, title) if kind == "svg" else states_dot(graph, title)
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        write_named(out, text)
    except OSError as error:
        raise SpecError(f"cannot be written: {error.strerror}", where=str(out)) from error
    click.echo(f"{len(graph.nodes)} states in {out}")
