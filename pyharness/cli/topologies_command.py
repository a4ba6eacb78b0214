"""``pyharness topologies``: list the graphs of a size, a family or a seed, or show one by its id."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import click

from pyharness.base.errors import SpecError
from pyharness.base.topology import (
    FAMILIES,
    NOTATION,
    Topology,
    adjacency,
    parse_topologies,
    select,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@click.command()
@click.argument("subject", metavar=f"[{NOTATION}]", required=False)
@click.option("--unrooted", is_flag=True, help="Graphs without initiators.")
@click.option(
    "--initiators", metavar="K|any", help="How many initiators, default 1; for a family, which, such as 1,3."
)
@click.option("--channels-min", type=int, metavar="M", help="At least M channels.")
@click.option("--channels-max", type=int, metavar="M", help="At most M channels.")
@click.option("--limit", type=int, metavar="COUNT", help="Take COUNT graphs, spread evenly over the list.")
@click.option("--family", metavar="NAME", help=f"One graph of a family: {', '.join(FAMILIES)}.")
@click.option("--random", type=int, metavar="COUNT", help="COUNT random graphs; needs --seed.")
@click.option("--seed", type=int, help="Seed of --random.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
def topologies(
    subject: str | None,
    *,
    unrooted: bool,
    initiators: str | None,
    as_json: bool,
    **fields: object,
) -> None:
    """List directed graphs up to isomorphism, one a line, or show the one whose id is given.

    \b
      pyharness topologies 3                    the ten rooted strongly connected graphs of 3 processes
      pyharness topologies 3 --unrooted         the five without initiators
      pyharness topologies 4 --family ring      one graph of a family
      pyharness topologies 4 --random 5 --seed 7
      pyharness topologies n3-0aa-i1            one graph, drawn
      pyharness topologies ring:4               a family's, drawn
      pyharness topologies '1>2,2>1@1'          any graph by its channels, and after the @ its initiators

    Wherever a command or the library asks for a topology, it takes what stands here in the place of ID.

    Graphs are canonical, except worked examples, and a graph given by its family, its id or its channels, which
    keeps its labels.
    """  # noqa: D301 - click reads the \b
    asked = {key: value for key, value in fields.items() if value is not None}
    if unrooted:
        asked["rooted"] = False
    if initiators is not None:
        asked["initiators"] = _initiators(initiators, labels="family" in asked)

    named = subject is not None and not _is_number(subject)
    if named and asked:
        given = ", ".join(_in_options(f"`{key}`") for key in asked)
        raise SpecError(f"a graph that is named takes no selection, but there is {given}")
    if subject is not None and named:
        chosen: Sequence[Topology] = parse_topologies(subject, where="topologies")
    else:
        size = {"processes": int(subject)} if subject else {}
        try:
            chosen = select({**size, **asked}, where="topologies")
        except SpecError as error:
            message, hint = _in_options(error.message), _in_options(error.hint or "")
            raise SpecError(message, where=error.where, hint=hint or None) from None

    if as_json:
        click.echo(json.dumps([_as_json(topology) for topology in chosen]))
    elif named and len(chosen) == 1:
        click.echo(_portrait(chosen[0]))
    else:
        click.echo(_list(chosen))


def _in_options(text: str) -> str:
    """Replace a selection's keys, between backquotes in a text, by the options that stand for them."""
    own = {"processes": "N", "rooted": "--unrooted"}
    return re.sub(r"`([a-z_]+)`", lambda m: own.get(m[1], f"--{m[1].replace('_', '-')}"), text)


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 10


def _initiators(text: str, *, labels: bool) -> object:
    """Read ``--initiators``: a number or "any", or a list of labels; an unreadable value stays a text."""
    if labels and all(_is_number(part) for part in text.split(",")):
        return [int(part) for part in text.split(",")]
    return int(text) if _is_number(text) else text


def _as_json(topology: Topology) -> dict[str, object]:
    return {
        "id": topology.id,
        "processes": topology.processes,
        "channels": topology.channels,
        "initiators": topology.initiators,
    }


def _channels(topology: Topology) -> str:
    names = (topology.channel_name(channel).removeprefix("C") for channel in topology.channels)
    return " ".join(names) or "-"


def _degrees(topology: Topology) -> str:
    """Describe the processes 1..n by inputs>outputs, such as ``1>2 2>1``."""
    processes = range(1, topology.processes + 1)
    return " ".join(f"{len(topology.inputs(p))}>{len(topology.outputs(p))}" for p in processes)


def _list(chosen: Iterable[Topology]) -> str:
    rows = [("ID", "INITIATORS", "IN>OUT", "CHANNELS")]
    for topology in chosen:
        initiators = " ".join(map(str, topology.initiators)) or "-"
        rows.append((topology.id, initiators, _degrees(topology), _channels(topology)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _portrait(topology: Topology) -> str:
    canonical = topology.canonical()
    facts = {
        "id": topology.id,
        "canonical": "yes" if topology == canonical else f"no, it is {canonical.id} relabelled",
        "processes": topology.processes,
        "initiators": " ".join(map(topology.process_name, topology.initiators)) or "-",
        "channels": f"{len(topology.channels)}: {_channels(topology)}",
        "connected": _connection(topology),
    }
    table = "\n".join(f"{name:<11} {value}" for name, value in facts.items())
    return f"{table}\n\n{adjacency(topology)}"


def _connection(topology: Topology) -> str:
    if topology.strongly_connected:
        return "strongly"
    return "everyone reachable from the initiators" if topology.everyone_reachable else "no"
