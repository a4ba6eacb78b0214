"""``pyharness mutate property``: weaken the properties, by machine, and see whether some seeded bug, or mutant, tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.bounded_files import MOST_TOML_BYTES, read_utf8
from pyharness.base.toolchain.machine_size import tasks_at_once
from pyharness.base.toolchain.own_files import write_named
from pyharness.base.toolchain.spec_files import SPECS, find_plan
from pyharness.cli.file_check import file_options, is_module_file
from pyharness.cli.progress import Saying
from pyharness.cli.shared_options import DIRECTORY
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools

if TYPE_CHECKING:
    from collections.abc import Mapping

_OF_PLANS: Final = ("texts_only", "update", "listing", "out", "workers")
_OF_FILES: Final = ("config", "libraries", "constants", "seconds", "accepted")
"""Options that are of plans alone, or of the file of a module alone."""


@click.command()
@click.argument("plan", default="quick")
@file_options
@click.option(
    "--constant",
    "constants",
    multiple=True,
    metavar="NAME=VALUE",
    help="Of FOO.tla: such as N=3; may be repeated.",
)
@click.option("--seconds", type=click.IntRange(1), help="Of FOO.tla: at most, for all of it; default 120.")
@click.option(
    "--accepted",
    type=click.Path(path_type=Path),
    help="Of FOO.tla: a list of weakenings that nothing notices, each with the reason why that is right.",
)
@click.option(
    "--only", default="", metavar="TEXT", help="Only properties whose name (Module.Name) contains this."
)
@click.option("--check", "texts_only", is_flag=True, help="Compare the texts with their digests; no TLC.")
@click.option("--update", is_flag=True, help="Write the digests and figures of this run into the list.")
@click.option(
    "--listing",
    type=click.Path(path_type=Path),
    default=SPECS / "weakenings.toml",
    help="The equivalent weakenings, with reasons, and the figures.",
)
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
def weaken(
    context: click.Context,
    plan: str,
    *,
    config: Path | None,
    libraries: tuple[Path, ...],
    constants: tuple[str, ...],
    seconds: int | None,
    accepted: Path | None,
    only: str,
    texts_only: bool,
    update: bool,
    listing: Path,
    out: Path,
    workers: int,
    as_json: bool,
) -> None:
    """Weaken each property of PLAN in one place at a time, and see whether some mutant tells.

    \b
      pyharness mutate property quick
      pyharness mutate property Mutex.tla --config MC.cfg

    A weakening is noticed if a mutant that the property catches escapes it, is caught by a longer trace only or in
    fewer states, or if TLC cannot evaluate it there. One that is not noticed must be listed with the reason why it
    means the same, and must then be the same in all states and steps of all models. What TLC said is kept, so that a
    run that was interrupted goes on.

    PLAN may be the file of a module, FOO.tla, with its configuration. Weakened are its invariants and
    properties, what they say of whole behaviours, too; the mutants are those of `pyharness mutate`, followed to their
    end. A weakening is noticed if one of them violates the property and not the weakening, or TLC cannot evaluate it
    there; another one may be in a list with the reason why that is right.

    Exits with 0 if every weakening is noticed, equivalent or in the list, with 1 if not, 2 for bad input, 3 if TLC did
    not come to the end of a model, a weakening was not decided, or there is nothing to weaken, 4 if a tool failed. With
    --check, with 1 if a text is not the one that was measured.
    """  # noqa: D301 - click reads the \b
    _require_fitting(context, plan)
    if is_module_file(plan):
        from pyharness.cli.file_weaken import weaken_file  # noqa: PLC0415

        code = weaken_file(
            Path(plan),
            config=config,
            libraries=libraries,
            constants=constants,
            accepted=accepted,
            only=only,
            seconds=seconds,
            as_json=as_json,
            progress=Saying(),
        )
        context.exit(code)
    from pyharness.gate.judge.pinned_lists import (  # noqa: PLC0415
        changed_kills,
        changed_texts,
        never_weakened,
        read_weakenings,
        with_figures,
    )
    from pyharness.mutants.weakening.model_probing import Probing  # noqa: PLC0415
    from pyharness.mutants.weakening.noticing import notice  # noqa: PLC0415
    from pyharness.mutants.weakening.plan_weakenings import PlanWeakenings  # noqa: PLC0415
    from pyharness.mutants.weakening.weakening_verdict import figures_of, weakening_document  # noqa: PLC0415

    if update and (only or texts_only):
        raise click.UsageError("--update is for the whole: without --only and --check")
    read = read_plan(find_plan(plan, SPECS), SPECS)
    listed = read_weakenings(listing)
    maker = PlanWeakenings(read)
    digests = {key: maker.digest(key) for key in maker.texts()}
    if texts_only:
        changed = [*changed_texts(digests, listed), *never_weakened(digests, listed)]
        document: dict[str, Any] = {"properties": len(digests), "changed": changed}
        click.echo(json.dumps(document, indent=2) if as_json else _said_of_texts(document))
        context.exit(1 if changed else 0)
    probing = Probing(read.library, find_tools(), out)
    found = notice(read, probing, only=only, workers=workers, say=Saying())
    if not found.weakened:
        raise IncompleteError(
            f"no property of {read.name} is weakened, so nothing is told",
            where="--only" if only else None,
            hint="the properties are called Module.Name" if only else None,
        )
    document = weakening_document(found.weakened, listed, whole=not only)
    if update:
        figures = figures_of(found.weakened, document, digests)
        others = {
            model.name for model in read.models if not model.mutant
        }  # what these violate is not asked here
        kills = {**found.kills, **{name: row for name, row in listed.kills.items() if name in others}}
        text = with_figures(read_utf8(listing, MOST_TOML_BYTES), figures, kills, found.states, listed.stated)
        write_named(listing, text)
    elif not only:
        document["problems"] += [
            *changed_texts(digests, listed),
            *changed_kills(found.kills, found.states, listed),
        ]
    click.echo(json.dumps(document, indent=2) if as_json else _summary(document))
    context.exit(1 if document["unnoticed"] or document["problems"] else 0)


def _require_fitting(context: click.Context, plan: str) -> None:
    """Require that no option is given that is of the other sort of subject. Raises SpecError."""
    of_file = is_module_file(plan)
    other, what = (_OF_PLANS, "of a plan") if of_file else (_OF_FILES, "of the file of a module: FOO.tla")
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is click.core.ParameterSource.COMMANDLINE
        if given and option.name in other:
            raise SpecError(f"{option.opts[0]} is {what}", where=plan)


def _said_of_texts(document: Mapping[str, Any]) -> str:
    lines = [*document["changed"]]
    if lines:
        lines.append("run `pyharness mutate property --update` to see what notices the new text")
    return "\n".join([*lines, f"{document['properties']} properties, {len(document['changed'])} changed"])


def _summary(document: Mapping[str, Any]) -> str:
    unnoticed, equivalent = len(document["unnoticed"]), len(document["equivalent"])
    head = f"{document['weakenings']} weakenings: {document['noticed']} noticed, {equivalent} equivalent"
    lines = [f"{head}, {unnoticed} not noticed"]
    lines += [f"{e['property']}: {e['weakening']}: {e['reason']}" for e in document["unnoticed"]]
    return "\n".join([*lines, *document["problems"]])
