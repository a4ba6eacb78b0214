"""``pyharness plan mutants``: the kill matrix, mutants by properties."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.own_files import locked
from pyharness.base.toolchain.spec_files import find_plan
from pyharness.cli.plan_run import out_of, selection
from pyharness.cli.progress import print_where_jobs_run, progress_line
from pyharness.cli.shared_options import DIRECTORY, specs_option
from pyharness.gate.judge.judgement import judge_plan
from pyharness.gate.judge.kill_matrix import kill_matrix
from pyharness.gate.plans.plan import read_plan
from pyharness.models.machine_tools import find_tools
from pyharness.models.verdicts import worst

if TYPE_CHECKING:
    from pathlib import Path

    from pyharness.gate.judge.kill_matrix import KillMatrix


@click.command()
@click.argument("plan", default="quick")
@click.option("--out", type=DIRECTORY, help="Where results go; default build/PLAN.")
@click.option("--fresh", is_flag=True, help="Take nothing over from an earlier run.")
@specs_option
@click.pass_context
def mutants(
    context: click.Context,
    plan: str,
    *,
    out: Path | None,
    fresh: bool,
    specs: Path,
) -> None:
    """Check the mutants of PLAN and print which properties catch each of them.

    Exits with 0 if the matrix is the one that the plan expects, with no survivor and no idle property; with 1 if a
    mutant survives or is not caught as expected, with 3 if the matrix has more than the plan expects.
    """
    from pyharness.gate.jobs.spark_session import spark_when_needed  # noqa: PLC0415
    from pyharness.gate.pipeline.stages import run_plan  # noqa: PLC0415

    print_where_jobs_run()
    read = read_plan(find_plan(plan, specs), specs)
    chosen = selection(read, {model.name for model in read.models if model.mutant})
    if not chosen.models:
        raise SpecError("the plan has no mutants", where=read.path.name, hint="add a [[matrix]] table")
    directory = out_of(plan, out)
    with locked(directory), progress_line("starting") as progress, spark_when_needed() as spark:
        report = run_plan(chosen, find_tools(specs), spark, directory, fresh=fresh, progress=progress)
    matrix = kill_matrix(read, [row for model in report.models for row in model.evidence.kills])
    verdict, reasons = judge_plan(read, matrix, ())
    reasons += tuple(f"{model.model.name}: {reason}" for model in report.models for reason in model.reasons)
    _print(matrix)
    for reason in reasons:
        click.echo(reason)
    context.exit(worst([verdict, report.verdict]).exit_code)


def _print(matrix: KillMatrix) -> None:
    console = Console() if sys.stdout.isatty() else Console(width=118)
    for spec in dict.fromkeys(row.spec for row in matrix.mutants):
        table = Table(
            "mutant", "caught by, with the length of the shortest trace", "smallest graph", title=spec
        )
        for row in matrix.mutants:
            if row.spec == spec:
                kills = ", ".join(f"{kill.property} {kill.length}" for kill in row.kills)
                table.add_row(row.name, kills or "nothing", row.kills[0].topology if row.kills else "")
        console.print(table)
    for name in matrix.idle_properties:
        console.print(f"{name} catches nothing", style="red", markup=False)
    console.print(
        f"{len(matrix.mutants) - len(matrix.survivors)} of {len(matrix.mutants)} mutants caught, "
        f"{len(matrix.properties) - len(matrix.idle_properties)} of {len(matrix.properties)} properties catch one",
        markup=False,
        highlight=False,
    )
