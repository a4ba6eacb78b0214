"""``pyharness mutate premise``: what the properties could say as well, and do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.base.errors import IncompleteError
from pyharness.base.toolchain.bounded_files import MOST_TOML_BYTES, read_utf8
from pyharness.base.toolchain.machine_size import tasks_at_once
from pyharness.base.toolchain.own_files import write_named
from pyharness.base.toolchain.spec_files import SPECS, find_plan
from pyharness.cli.progress import Saying
from pyharness.cli.shared_options import DIRECTORY
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command()
@click.argument("plan", default="quick")
@click.option(
    "--only", default="", metavar="TEXT", help="Only properties whose name (Module.Name) contains this."
)
@click.option("--update", is_flag=True, help="Write into the list which properties this run looked at.")
@click.option(
    "--out",
    type=DIRECTORY,
    default=Path("build/weaken"),
    show_default=True,
    help="What TLC said is kept here.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=tasks_at_once,
    show_default="one more than cores",
    help="Runs of TLC at a time.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@click.pass_context
def strengthen(
    context: click.Context, plan: str, *, only: str, update: bool, out: Path, workers: int, as_json: bool
) -> None:
    """Drop a premise, or an exemption, from each property of PLAN, and see whether a passing model tells.

    Where none does, the property could say more. It should, or the reason why it does not is listed in
    specs/strengthenings.toml; and what is listed must hold in all models indeed. What TLC said is kept.

    Exits with 0 if every strengthening is refuted or listed, with 1 if not, 2 for bad input, 3 if TLC did not come to
    the end of a model or there is nothing to strengthen, 4 if a tool failed.
    """
    from pyharness.gate.judge.pinned_lists import (  # noqa: PLC0415
        STRENGTHENINGS_FILE,
        read_strengthenings,
        with_digests,
    )
    from pyharness.mutants.weakening.model_probing import Probing  # noqa: PLC0415
    from pyharness.mutants.weakening.plan_weakenings import PlanWeakenings  # noqa: PLC0415
    from pyharness.mutants.weakening.strengthening import strengthen as strengthened  # noqa: PLC0415
    from pyharness.mutants.weakening.strengthening import strengthening_document  # noqa: PLC0415

    if update and only:
        raise click.UsageError("--update is for the whole: without --only")
    read = read_plan(find_plan(plan, SPECS), SPECS)
    listing = SPECS / STRENGTHENINGS_FILE
    listed = read_strengthenings(listing)
    found = strengthened(
        read, Probing(read.library, find_tools(), out), only=only, workers=workers, say=Saying()
    )
    if not found:
        raise IncompleteError(
            f"no property of {read.name} can be strengthened, so nothing is told",
            where="--only" if only else None,
            hint="the properties are called Module.Name" if only else None,
        )
    document = strengthening_document(found, listed, whole=not only)
    if update:
        digests = PlanWeakenings(read).passing_digests()
        write_named(listing, with_digests(read_utf8(listing, MOST_TOML_BYTES), digests))
    click.echo(json.dumps(document, indent=2) if as_json else _summary(document))
    context.exit(1 if document["unlisted"] or document["problems"] else 0)


def _summary(document: Mapping[str, Any]) -> str:
    unlisted, listed = document["unlisted"], len(document["listed"])
    head = f"{document['strengthenings']} strengthenings: {document['refuted']} refuted by a passing model"
    lines = [f"{head}, {listed} listed with a reason, {len(unlisted)} neither"]
    lines += [
        f"{e['property']}: {e['strengthening']}: it holds in all of {e['models']} models" for e in unlisted
    ]
    return "\n".join([*lines, *document["problems"]])
