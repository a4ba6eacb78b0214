"""``pyharness plan wander``: compare an implementation with its spec on random graphs, larger than any plan's."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count, islice
from typing import TYPE_CHECKING

import click

from pyharness.base.errors import ConformanceError, HarnessError, IncompleteError
from pyharness.base.toolchain.spec_files import module_directories
from pyharness.cli.conform_command import summary
from pyharness.cli.shared_options import specs_option
from pyharness.machines.systems import find_mutant
from pyharness.models.machine_tools import find_tools
from pyharness.tla.modules.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pyharness.hold.conformance.wandering import Wandered
    from pyharness.models.model import Model

_SHORTEST_SECONDS = 60
"""The seconds that TLC may explore the smallest model, for the shortest way to the difference."""


@click.command()
@click.argument("subjects", nargs=-1, metavar="[SPEC[:MUTANT]]...")
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="Of the first model; then come the next.",
)
@click.option(
    "--seconds",
    type=click.IntRange(1),
    default=60,
    show_default=True,
    help="No model is begun after this many.",
)
@click.option("--models", type=click.IntRange(1), help="At most this many of each spec.")
@click.option(
    "--states",
    type=click.IntRange(1, 1000),
    default=60,
    show_default=True,
    help="Taken from walks, of each graph.",
)
@click.option(
    "--first-order", is_flag=True, help="Also compare the formulas that `pyharness prove` proves. Slow."
)
@specs_option
@click.pass_context
def wander(
    context: click.Context,
    subjects: Sequence[str],
    *,
    seed: int,
    seconds: int,
    models: int | None,
    states: int,
    first_order: bool,
    specs: Path,
) -> None:
    """Walk at random through graphs of up to eight processes, and compare the steps from there with TLC's, both ways.

    Each seed draws a model of each SPEC (all that can be compared, if none is named; with MUTANT, the implementation
    with that bug): three graphs, items, constants, granularity. Each state that is taken from a walk is given to TLC,
    which takes one step. The first difference is shown with a command that shows it again.

    Exits with 0 without a difference, with 1 at one, with 2 for bad input, with 3 if nothing was compared, 4 if a
    tool failed.
    """
    from pyharness.hold.conformance.wandering import WANDERERS, draw, hold_drawn  # noqa: PLC0415
    from pyharness.prove.proof_catalogue import MODULES  # noqa: PLC0415
    from pyharness.prove.third_party import hold_together  # noqa: PLC0415

    named = [text.partition(":")[::2] for text in subjects or WANDERERS]
    for spec, mutant in named:
        draw(spec, seed, states)
        if mutant:
            find_mutant(spec, mutant)
    library, tools = Library(*module_directories(specs)), find_tools(specs)
    began, last = time.monotonic(), seed
    held: list[Wandered] = []
    most = None if models is None else models * len(named)
    for last, (spec, mutant) in islice(((n, one) for n in count(seed) for one in named), most):
        if held and time.monotonic() - began > seconds:
            break
        formulas = hold_together if first_order and spec in MODULES else None
        hold = partial(hold_drawn, library=library, tools=tools, mutant=mutant, formulas=formulas)
        found = hold(draw(spec, last, states))
        held.append(found)
        if found.differs:
            click.echo(f"{spec}, seed {last}: they differ {found.differs}", err=True)
            _show(found, mutant, hold)
            context.exit(ConformanceError.exit_code)
        if spec == named[-1][0]:
            click.echo(f"seed {last}: {_counts(held)}", err=True)
    if not sum(one.python.transitions for one in held if one.python is not None):
        raise IncompleteError("nothing was compared", hint="give it more --seconds")
    click.echo(f"{_counts(held)}: no difference (seeds {seed} to {last})")


def _counts(held: Sequence[Wandered]) -> str:
    compared = [one for one in held if one.python is not None]
    figures = {
        "models": len(compared),
        "specs": len({one.model.spec for one in compared}),
        "graphs": sum(len(one.model.topologies) for one in compared),
        "states": sum(one.python.states for one in compared if one.python is not None),
        "transitions": sum(one.python.transitions for one in compared if one.python is not None),
    }
    words = [f"{number:,} {name}" for name, number in figures.items()]
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _again(model: Model, mutant: str) -> str:
    """Return the command that compares a model again."""
    words = ["pyharness hold python", f"{model.spec}:{mutant}" if mutant else model.spec]
    words += [f"--topology {graph.id}" for graph in model.topologies]
    words += [f"--items {model.items} --placement {model.placement}"] if not model.constants else []
    words += [f"--granularity {model.granularity}"] if model.granularity != "event" else []
    words += [f"--constant {name}={value}" for name, value in model.constants.items()]
    words += [f"--predicate {model.predicate}"] if model.predicate else []
    if model.wander:
        words += [f"--wander {model.wander.states} --seed {model.wander.seed}"]
    return " ".join(words)


def _show(found: Wandered, mutant: str, hold: Callable[[Model], Wandered]) -> None:
    """Show a difference, by the shortest way to it if all states of its model can be compared."""
    model, shown = found.model, found
    with suppress(HarnessError):
        budget = replace(model.budget, seconds=_SHORTEST_SECONDS)
        explored = hold(replace(model, wander=None, depth=None, budget=budget))
        shown = explored if explored.differs else found
    click.echo(
        summary(shown.python, shown.model) if shown.python is not None else f"{model.spec}: {shown.differs}"
    )
    click.echo(f"\nagain: {_again(shown.model, mutant)}")
