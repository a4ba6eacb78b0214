"""``pyharness check``: run a plan, and print its result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pyharness.cli.plan_run import run_chosen, run_options
from pyharness.cli.run_report import page_line
from pyharness.cli.run_summary import print_summary, to_document

__all__ = ["check"]


@click.command()
@run_options
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document instead of the summary.")
@click.pass_context
def check(context: click.Context, /, plan: str, *, as_json: bool, **options: Any) -> None:
    """Model-check PLAN (quick, full or a file), replay its traces on Python, and judge every model.

    Exits with 0 if every model has the result that the plan expects, with 1 at a violation or nonconformance, 2 if
    plan or spec is wrong, 3 if evidence is missing (killed, timed out, over the budget, pins differ), 4 if a tool
    failed or the report for people to look at, report/index.html below --out, cannot be written.
    """
    ran = run_chosen(plan, **options)
    if as_json:
        click.echo(to_document(ran.report, ran.seconds))
    else:
        print_summary(ran.report, ran.seconds)
    click.echo(page_line(ran.page), err=as_json or not isinstance(ran.page, Path))
    context.exit(ran.exit_code)
