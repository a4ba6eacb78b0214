"""``pyharness hold``: compare a program in any language with a spec."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pyharness.base.errors import ConformanceError, SpecError
from pyharness.base.toolchain.clean_text import cleaned
from pyharness.base.toolchain.own_files import named_place, own_directory, write_named
from pyharness.base.topology import NOTATION, Topology, parse_topologies
from pyharness.cli.shared_options import DIRECTORY
from pyharness.hold.flink.real_handlers import FLINK_MODES
from pyharness.hold.programs import HELD, OPERATOR, Difference, Limits, document, hold_again, read_case
from pyharness.hold.programs import hold as held_against
from pyharness.hold.programs.difference import trace_of
from pyharness.hold.programs.holding import HoldPlan
from pyharness.hold.programs.wire import schema
from pyharness.show.report.formats.export_formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.hold.programs import HoldResult, OperatorDifference

FORMAT: Final = "pyharness-hold/1"

_CASE: Final = "difference.json"
_PAGE: Final = "difference.html"
"""The files of a difference."""


@click.command(context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="-- PROGRAM [ARGUMENT]...")
@click.option(
    "--protocol",
    type=click.Choice([*HELD, OPERATOR]),
    default="ChandyLamport",
    show_default=True,
    help="What it implements.",
)
@click.option(
    "--topology",
    "wanted",
    multiple=True,
    metavar=NOTATION,
    help="A graph to walk, or several of a kind, instead of all small ones; may be repeated.",
)
@click.option(
    "--items",
    type=click.IntRange(1, 9),
    help="Items that move on these graphs; by default 1, of a dataflow 2.",
)
@click.option(
    "--max-states",
    type=click.IntRange(1),
    default=200_000,
    show_default=True,
    help="Give up a graph beyond this many pairs of a state of the spec and states of the program.",
)
@click.option(
    "--mode",
    type=click.Choice(FLINK_MODES),
    default="aligned",
    show_default=True,
    help="Of an Operator: how it takes barriers.",
)
@click.option("--inputs", type=click.IntRange(1, 9), default=2, show_default=True, help="Of an Operator.")
@click.option(
    "--walks",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="Random walks without a reset on larger graphs; of an Operator random lists of events.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of what is random.")
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 3600),
    default=10.0,
    show_default=True,
    help="Seconds for an answer.",
)
@click.option("--self-test", "test", is_flag=True, help="Only ask whether it keeps the line protocol.")
@click.option(
    "--replay",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Only ask the case of a difference once more.",
)
@click.option(
    "--out",
    type=DIRECTORY,
    default="build/hold",
    show_default=True,
    help="Where a difference is left, as difference.json and difference.html.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@click.option(
    "--schema", "wants_schema", is_flag=True, help="Print the JSON Schema of what a program writes, and end."
)
def hold(
    command: Sequence[str],
    *,
    protocol: str,
    wanted: Sequence[str],
    items: int | None,
    max_states: int,
    mode: str,
    inputs: int,
    walks: int,
    seed: int,
    timeout: float,
    test: bool,
    file: Path | None,
    out: Path,
    as_json: bool,
    wants_schema: bool,
) -> None:
    """Hold PROGRAM, in any language, against a spec: it reads events from its standard input, and writes what it does.

    One process of it plays one process of the protocol. After a self-test it is walked through every interleaving on
    all small graphs beside the spec, both ways: what the spec does it must do, and what the spec refuses it must
    refuse. Then come random walks on larger graphs. The first difference is made small. docs/reference/programs.md has
    the lines; `pyharness init --hold LANGUAGE` writes a program.

    Exits with 0 if there is no difference, with 1 at one (a program that ends, hangs twice or gives an invalid answer
    among them), with 2 for bad input, with 3 without a verdict: too many states, no answer in time.
    """
    if wants_schema:
        click.echo(json.dumps(schema(), indent=2))
        return
    if not command:
        raise click.UsageError("name the program: pyharness hold -- ./program")
    # What would keep a difference from being left is an error before the search.
    for name in (_CASE, _PAGE):
        named_place(out / name)
    limits = Limits(seconds=timeout)
    if file is not None:
        case = read_case(file)
        found = hold_again(command, case, limits)
        _end(found, command, None, as_json=as_json)
        return
    graphs = tuple(parse_topologies(wanted, where="--topology")) if wanted else ()
    if graphs and protocol == OPERATOR:
        raise SpecError("an operator has inputs, and no graph", where="--topology", hint="give --inputs 3")
    plan = HoldPlan(protocol, graphs, items, max_states, walks, seed, mode, inputs, limits)
    held = held_against(command, plan, lambda text: click.echo(cleaned(text), err=True), test_only=test)
    if as_json:
        click.echo(json.dumps(_document(held), indent=2))
    elif held and not test:
        click.echo(cleaned(f"PASS: {shlex.join(command)} against {_against(held)}\n{_text(held)}"))
    elif test:
        click.echo("the self-test is passed; the protocol is not checked yet")
    if held.difference is not None:
        _end(held.difference, command, out, as_json=as_json)


def _end(
    found: Difference | OperatorDifference | None, command: Sequence[str], out: Path | None, *, as_json: bool
) -> None:
    """Show a difference, leave it in ``out``, and exit with 1; without one, print that."""
    if found is None:
        click.echo(json.dumps({"format": FORMAT, "differs": None}) if as_json else "no difference any more")
        return
    if not as_json:
        click.echo(cleaned(str(found)))
    elif out is None:
        click.echo(json.dumps({"format": FORMAT, "differs": document(found)}, indent=2))
    hint = None
    if out is not None:
        hint = (
            f"again: pyharness hold --replay {shlex.quote(str(_left(found, out)))} -- {shlex.join(command)}"
        )
    more = "" if found.again else ", and did not when it was asked again: it is not deterministic"
    raise ConformanceError(f"the program differs from the spec{more}", hint=hint)


def _left(found: Difference | OperatorDifference, out: Path) -> Path:
    """Write a difference into a directory, as a case and, if it is on a graph, as a page; return the case's file."""
    own_directory(out)
    file = out / _CASE
    write_named(file, json.dumps(document(found), indent=2) + "\n")
    if isinstance(found, Difference):
        write_named(out / _PAGE, FORMATS["html"](*trace_of(found)))
        click.echo(f"wrote {file} and {out / _PAGE}", err=True)
    else:
        click.echo(f"wrote {file}", err=True)
    return file


def _against(held: HoldResult) -> str:
    plan = held.plan
    return f"{OPERATOR}, {plan.mode}, {plan.inputs} inputs" if plan.protocol == OPERATOR else plan.protocol


def _text(held: HoldResult) -> str:
    lines = [f"self-test: {', '.join(held.tested)}"]
    if held.operator is not None:
        lines.append(
            f"{held.operator.sequences:,} lists of events: all of three events, and {held.plan.walks:,} random ones; "
            f"{held.operator.events:,} events"
        )
        lines.append("shown for these lists, and no others")
    else:
        lines.append(
            f"{len(held.graphs)} graph{'s'[: len(held.graphs) != 1]}, {held.items} item{'s'[: held.items > 1]}: "
            f"{held.total('states'):,} states, {held.total('transitions'):,} transitions, all interleavings; "
            f"{held.total('answers'):,} local states and events asked, {held.total('refusals'):,} of them to be refused"
        )
        lines.append(_kinds(held))
        lines.append(_how_far(held))
        lines.append(
            "channels are the harness's own, first in, first out: how the program's own carry messages is not checked"
        )
    if held.walks is not None:
        lines.append(
            f"{held.walks.walks:,} random walks on larger graphs: {held.walks.steps:,} steps, "
            f"{held.walks.refusals:,} of them to be refused"
        )
    return "\n".join(f"  {line}" for line in lines)


def _kinds(held: HoldResult) -> str:
    """Count the graphs with several initiators, self-loops and many inputs: some bugs need one of these."""
    graphs = [Topology.from_id(name) for name, _ in held.graphs]
    several = sum(len(graph.initiators) > 1 for graph in graphs)
    loops = sum(any(source == target for source, target in graph.channels) for graph in graphs)
    wide = sum(any(len(graph.inputs(p)) > 2 for p in range(1, graph.processes + 1)) for graph in graphs)
    return (
        f"among these graphs several processes may begin in {several}, one has a channel to itself in {loops}, "
        f"and three inputs or more in {wide}"
    )


def _how_far(held: HoldResult) -> str:
    """Return in words what the walks on the small graphs show."""
    if held.pure:
        more = held.total("pairs") - held.total("states")
        hidden = f"; its state has more in it: {more:,} pairs more than states of the spec" if more else ""
        return f"exhaustive on these graphs: the program hands its state out{hidden}"
    return (
        "exhaustive up to what is shown: the program keeps its state, and one way to each of the spec's local states "
        f"stands for all; {held.total('seconds'):,} second ways were asked too, and agreed"
    )


def _document(held: HoldResult) -> dict[str, Any]:
    walks, operator = held.walks, held.operator
    return {
        "format": FORMAT,
        "protocol": held.plan.protocol,
        "self_test": list(held.tested),
        "pure": held.pure,
        "graphs": [{"topology": name, **vars(walked)} for name, walked in held.graphs],
        "walks": walks and vars(walks),
        "operator": operator
        and {"mode": operator.mode, "sequences": operator.sequences, "events": operator.events},
        "asked": held.asked,
        "differs": held.difference and document(held.difference),
    }
