"""``pyharness mutate code``: mutants of the protocols, made by machine, and what of them comparing with the specs sees."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import pyharness.machines.protocols
from pyharness.base.errors import IncompleteError
from pyharness.base.toolchain.machine_size import cores
from pyharness.base.toolchain.spec_files import SPECS, find_plan
from pyharness.cli.progress import Saying
from pyharness.cli.shared_options import DIRECTORY
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.gate.plans.plan import Plan

_PROTOCOLS = Path(pyharness.machines.protocols.__file__).resolve().parent


@click.command()
@click.argument("plans", nargs=-1, metavar="[PLAN]...")
@click.option(
    "--only", "part", metavar="TEXT", help="Only mutants whose name contains this; nothing is required then."
)
@click.option(
    "--left-by",
    "earlier",
    type=click.Path(path_type=Path),
    help="Only the survivors in this document, of `--json` before; nothing is required then.",
)
@click.option(
    "--states",
    "most",
    type=click.IntRange(1),
    help="Only models of at most so many states, by the plan's pins.",
)
@click.option(
    "--states-of-equivalent",
    "most_equivalent",
    type=click.IntRange(1),
    help="Only models of at most so many states for mutants that are listed as equivalent.",
)
@click.option(
    "--listing",
    type=click.Path(path_type=Path),
    default=SPECS / "mutation.toml",
    help="The survivors, with reasons.",
)
@click.option(
    "--out",
    type=DIRECTORY,
    default=Path("build/mutation"),
    show_default=True,
    help="What is kept.",
)
@click.option(
    "--pairs",
    type=click.IntRange(1),
    help="Instead of all changes one by one, try so many pairs of them, drawn from those that are not listed.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=cores,
    show_default="all cores",
    help="Mutants at a time.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@click.pass_context
def mutation(
    context: click.Context,
    plans: Sequence[str],
    *,
    part: str | None,
    earlier: Path | None,
    most: int | None,
    most_equivalent: int | None,
    listing: Path,
    out: Path,
    pairs: int | None,
    workers: int,
    as_json: bool,
) -> None:
    """Change the protocols in one place at a time, and see whether conformance and exploration notice.

    The models are those of the PLANs (quick and then full, unless told otherwise) that are compared or explored. A
    change that is not noticed must be listed with its reason, and what is listed must not be noticed. What was found is
    kept, so that a run that was interrupted goes on, and a run with all mutants takes over what one with a few found.

    With --pairs two changes of one file are made at once, which may hide each other: 95 % must be noticed.

    Exits with 0 if that is so, with 1 if not, 2 for bad input, 3 if a model is not what the plan
    pins, or if no mutant or no model is left, 4 if a tool failed.
    """
    from pyharness.mutants.code.listed_survivors import FORMAT, read_listing, read_survivors  # noqa: PLC0415
    from pyharness.mutants.code.measurement import (  # noqa: PLC0415
        compared_models,
        judge_mutants,
        judge_pairs,
        measure,
        merged,
        pairs_of,
        protocol_mutants,
    )

    names = tuple(plans) or ("quick", "full")
    read = [_small(read_plan(find_plan(name, SPECS), SPECS), most) for name in names]
    listed = read_listing(listing)
    left = None if earlier is None else read_survivors(earlier)
    mutants = [
        m
        for m in protocol_mutants(_PROTOCOLS)
        if (part is None or part in m.id) and (left is None or m.id in left)
    ]
    if not mutants or not any(map(compared_models, read)):
        raise IncompleteError(
            "no mutant is chosen" if not mutants else "no model of these plans is compared",
            hint="--only, --left-by and --states choose",
        )
    alike = {name for name, entry in listed.mutants.items() if entry.equivalent}
    tried = partial(measure, root=_PROTOCOLS, tools=find_tools(), cache=out, workers=workers, say=Saying())
    if pairs is not None:
        two = judge_pairs(tried(read, pairs_of([m for m in mutants if not listed.lists(m)], pairs)))
        click.echo(json.dumps({"format": FORMAT, **two}, indent=2) if as_json else _pairs_summary(two))
        context.exit(1 if two["problems"] else 0)
    if most_equivalent is None:
        found = tried(read, mutants)
    else:
        found = merged(
            tried(read, [m for m in mutants if m.id not in alike]),
            tried([_small(plan, most_equivalent) for plan in read], [m for m in mutants if m.id in alike]),
        )
    document = {"format": FORMAT, **judge_mutants(found, listed)}
    if part is not None or left is not None:
        document["problems"] = []
    click.echo(json.dumps(document, indent=2) if as_json else _summary(document))
    context.exit(1 if document["problems"] else 0)


def _small(plan: Plan, most: int | None) -> Plan:
    """Return a plan with those of its models that are pinned to at most so many states."""
    if most is None:
        return plan
    return replace(plan, models=tuple(m for m in plan.models if m.pins and m.pins.distinct <= most))


def _summary(document: dict[str, Any]) -> str:
    head = (
        f"{document['mutants']} mutants, {document['outside']} in functions that no model runs, "
        f"{len(document['equivalent'])} equivalent, {document['counted']} counted"
    )
    lines = [head]
    lines += [f"{plan}: {row['seen']} seen, {row['share']:.1%}" for plan, row in document["plans"].items()]
    lines += [f"{len(document['survivors'])} survive", *document["problems"]]
    return "\n".join(lines)


def _pairs_summary(document: dict[str, Any]) -> str:
    head = f"{document['pairs']} pairs of changes, {document['seen']} seen, {document['share']:.1%}"
    return "\n".join([head, *document["unseen"], *document["problems"]])
