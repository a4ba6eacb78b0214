"""``pyharness plan pins``: compare the counts a plan pins with those last measured, and rewrite them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import tomlkit

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.bounded_files import MOST_TOML_BYTES, read_utf8
from pyharness.base.toolchain.own_files import write_named
from pyharness.base.toolchain.spec_files import find_plan, require_own
from pyharness.cli.shared_options import DIRECTORY, specs_option
from pyharness.gate.jobs.job_store import finished_rows
from pyharness.gate.jobs.jobs import module_jobs, plan_jobs
from pyharness.gate.judge.judgement import measured_pins
from pyharness.gate.judge.pinned import digests_of, pinned_kills, stated_by, violations
from pyharness.gate.judge.pinned_lists import (
    Listing,
    changed_kills,
    changed_statements,
    changed_texts,
    listing_text,
    may_be_less,
    pinned_figures,
    read_weakenings,
)
from pyharness.gate.plans.plan import Plan, read_plan, row_name
from pyharness.gate.plans.source_places import model_place
from pyharness.models.bounds import Pins
from pyharness.models.job import Job
from pyharness.models.machine_tools import find_tools
from pyharness.models.model import Model
from pyharness.models.table_rows import ConformanceRow, KillRow, RunRow, TraceRow, rows_of
from pyharness.models.verdicts import Verdict

if TYPE_CHECKING:
    from pyharness.gate.jobs.jobs import AnyJob


@click.command()
@click.argument("plan", default="quick")
@click.option("--out", type=DIRECTORY, help="Where `check` put its results; default build/PLAN.")
@click.option("--update", is_flag=True, help="Rewrite the plan; its comments and its order stay.")
@click.option(
    "--accept",
    multiple=True,
    metavar="MODULE.NAME",
    help="With --update: this property is meant to have another text, to be gone, or (MODEL.NAME) to catch less; may be repeated.",
)
@click.option(
    "--check", "only_check", is_flag=True, help="Only print which models lack pins; needs no results."
)
@specs_option
@click.pass_context
def pins(
    context: click.Context,
    plan: str,
    *,
    out: Path | None,
    update: bool,
    accept: tuple[str, ...],
    only_check: bool,
    specs: Path,
) -> None:
    """Show where PLAN's pins and matrix differ from what `pyharness check PLAN` found.

    Exits with 0 if they are equal or were updated, with 3 if they differ or a model was not measured. With --check,
    with 3 if a model that is to pass has no pins. Of a plan that is to check all claims, the texts of the properties,
    the mutants that they catch, theorems, and all that models ask are pinned in specs/weakenings.toml. There a text is
    replaced, and a property or a kill taken out, only by name (--accept), since less may be left: each mutant that is
    missed, or caught later, is listed.
    """
    if accept and not update:
        raise click.UsageError("--accept goes with --update")
    read = read_plan(find_plan(plan, specs), specs)
    if only_check:
        context.exit(_unpinned(read))
    counts, caught, kills = _measured(read, out or Path.cwd() / "build" / read.name)
    new_counts: dict[str, Pins] = {}
    new_rows: dict[str, tuple[str, ...]] = {}
    for model in read.all:
        found = caught.get(model.name) if model.expect == "violation" else counts.get(model.name)
        if found is None:
            raise IncompleteError(
                "no complete run to take pins from",
                where=model.name,
                hint="run `pyharness check`; only a run that is as the plan expects, pins aside, has some",
            )
        if isinstance(found, Pins):
            if found != model.pins:
                new_counts[model.name] = found
                click.echo(f"{model.name}: {model.pins or 'none'} -> {found}")
        elif set(found) != set(model.caught_by):
            new_rows[model.name] = found
            click.echo(f"{model.name}: {', '.join(model.caught_by)} -> {', '.join(found) or 'nothing'}")
    changed = _changed_strength(read, kills, accept, update=update)
    if not new_counts and not new_rows and not changed:
        click.echo("all pins are as measured")
    elif update and (new_counts or new_rows):
        require_own(read.path)
        document = tomlkit.parse(read_utf8(read.path, MOST_TOML_BYTES))
        _rewrite(document, new_counts, new_rows)
        write_named(read.path, tomlkit.dumps(document))
    elif not update:
        context.exit(IncompleteError.exit_code)


def _changed_strength(
    plan: Plan, kills: list[KillRow], accept: tuple[str, ...] = (), *, update: bool
) -> bool:
    """Return whether properties have other texts, or catch other mutants, than is pinned; print which, and write it.

    Raises IncompleteError if something would be written that may be less than is pinned, and is not accepted by name.
    """
    if plan.strength is None:
        return False
    listing = read_weakenings(plan.strength)
    lengths, states = pinned_kills(plan, kills)
    digests = digests_of(plan)
    stated = stated_by(plan)
    changed = [*changed_texts(digests, listing), *changed_kills(lengths, states, listing)]
    changed += changed_statements(stated, listing)
    changed += [f"{name}: is not a mutant of the plan" for name in listing.kills if name not in lengths]
    for line in changed:
        click.echo(line)
    if changed and update:
        less = may_be_less(digests, stated, lengths, listing)
        if unknown := sorted(set(accept) - set(less)):
            raise SpecError(
                f"nothing that {', '.join(unknown)} states or catches has changed", where="--accept"
            )
        if refused := {name: why for name, why in less.items() if name not in accept}:
            raise IncompleteError(
                "; ".join(f"{name} {why}" for name, why in refused.items()),
                where=plan.strength.name,
                hint=f"the differences are listed above; if they are meant: "
                f"{' '.join(f'--accept {shlex.quote(name)}' for name in refused)}",
            )
        require_own(plan.strength)
        figures = pinned_figures(digests, listing)
        pinned = Listing(figures, lengths, states, stated, listing.premises)
        write_named(plan.strength, listing_text(pinned))
    return bool(changed)


def _unpinned(plan: Plan) -> int:
    """Name the models that are to pass and have no pins, and return the exit code."""
    lacking = [model for model in plan.all if model.expect == "pass" and model.pins is None]
    for model in lacking:
        click.echo(f"{model_place(plan, model)}: {model.name} has no pins", err=True)
    return IncompleteError.exit_code if lacking else 0


def _rewrite(document: Any, counts: dict[str, Pins], rows: dict[str, tuple[str, ...]]) -> None:
    for table in document.get("model", []):
        name = str(table["name"])
        if name in counts:
            _put(table, "pins", tomlkit.value(counts[name].toml))
        if name in rows:
            _put(table, "caught_by", list(rows[name]))
    for matrix in document.get("matrix", []):
        for mutant in matrix["mutants"]:
            name = row_name(str(matrix["name"]), str(mutant))
            if name in rows:
                matrix["mutants"][mutant] = list(rows[name])


def _put(table: Any, key: str, value: Any) -> None:
    """Set a key of a table; a new one stands directly after the last key.

    Comments and blank lines at the end of a table head the next one, and so does all that ``tomlkit`` would append.
    """
    if key in table:
        table[key] = value
        return
    body = table.value.body
    end = len(body)
    while body[end - 1][0] is None:
        end -= 1
    trailing = body[end:]
    del body[end:]
    table.append(key, value)
    body.extend(trailing)


def _measured(plan: Plan, out: Path) -> tuple[dict[str, Pins], dict[str, tuple[str, ...]], list[KillRow]]:
    """Read the result of the last finished run of each model and spec: its counts, or what was violated, and how."""
    counts: dict[str, Pins] = {}
    caught: dict[str, tuple[str, ...]] = {}
    kills: list[KillRow] = []
    tools = find_tools()
    jobs: list[AnyJob] = [*plan_jobs(plan, tools), *module_jobs(plan.modules, plan.library, tools)]
    for model in plan.all:
        own = [job for job in jobs if job.name == model.name]
        ids = [job.id for job in own if not isinstance(job, Job) or job.kind != "simulate"]
        rows = [row for job in ids for row in finished_rows(out / "jobs" / f"{job}.json") or ()]
        runs = [row for row in rows_of(RunRow, rows) if row.kind == "check"]
        if not runs or not all(run.complete for run in runs):
            continue
        if model.expect == "violation":
            kills += rows_of(KillRow, rows)
            found = {row.property for row in rows_of(KillRow, rows)}
            if model.mutant is None:
                kills += violations(plan, rows_of(TraceRow, rows))
                found = {run.violated for run in runs}
            known = [*model.invariants, *model.properties] if isinstance(model, Model) else found
            caught[model.name] = tuple(name for name in known if name and name in found)
        elif all(run.verdict is Verdict.PASS for run in runs):
            measured = measured_pins(runs, rows_of(ConformanceRow, rows))
            if measured is not None and (measured.transitions is not None or not model.conform):
                counts[model.name] = measured
    return counts, caught, kills
