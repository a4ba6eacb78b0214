"""``pyharness bounds``: what the bounds of a plan hide."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from pyharness.base.errors import ConformanceError, IncompleteError, SpecError
from pyharness.base.toolchain.own_files import own_place
from pyharness.base.toolchain.spec_files import find_plan
from pyharness.cli.progress import progress, tell_where_jobs_run
from pyharness.cli.shared_options import DIRECTORY, chosen_names, only_option, specs_option
from pyharness.gate.pipeline.raised_bounds import raise_bounds, what_changed
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools
from pyharness.models.out_lock import locked


@click.command()
@click.argument("plan", default="quick")
@only_option
@click.option("--out", type=DIRECTORY, help="Where results go; default build/PLAN-bounds.")
@specs_option
@click.pass_context
def bounds(
    context: click.Context, plan: str, *, only: tuple[str, ...], out: Path | None, specs: Path
) -> None:
    """Raise each bound of PLAN's models by one (items, depth, sends) and show what that changes.

    Exits with 1 if a property that held is violated or a mutant is caught otherwise than the plan says, with 3 if a
    run did not finish within its budget.
    """
    from pyharness.gate.jobs.spark_session import spark_when_needed  # noqa: PLC0415
    from pyharness.gate.pipeline.stages import run_plan  # noqa: PLC0415

    tell_where_jobs_run()
    read = read_plan(find_plan(plan, specs), specs)
    found_bounds = raise_bounds(read)
    names = chosen_names(read, (r.original.name for r in found_bounds), only)
    raised = [r for r in found_bounds if r.original.name in names]
    if not raised:
        raise SpecError("no model has a bound to raise", where=read.path.name)
    chosen = replace(
        read, models=tuple(r.model for r in raised), examples=(), logs=(), claims=(), whole=False
    )
    directory = out or own_place(Path.cwd() / "build" / f"{read.name}-bounds")
    with locked(directory), progress() as notes, spark_when_needed() as spark:
        report = run_plan(chosen, find_tools(specs), spark, directory, progress=notes)
    table = Table("model", "bound", "raised", "result", "what it shows", title=f"bounds of plan {read.name}")
    found = set()
    for entry, model in zip(raised, report.models, strict=True):
        result, words = what_changed(entry, model)
        found.add(result)
        table.add_row(
            entry.original.name,
            entry.bound,
            f"{entry.before} to {entry.after}",
            result,
            words,
            style=_STYLE[result],
        )
    (Console() if sys.stdout.isatty() else Console(width=118)).print(table)
    if "changed" in found:
        context.exit(ConformanceError.exit_code)
    context.exit(IncompleteError.exit_code if "unfinished" in found else 0)


_STYLE = {"same": "", "changed": "bold red", "unfinished": "yellow"}
