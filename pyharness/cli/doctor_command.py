"""``pyharness doctor``: what is here, what is missing, what to do."""

from __future__ import annotations

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pyharness.base.errors import ToolError
from pyharness.base.toolchain.doctor import ToolFinding, diagnose


@click.command()
@click.option("--spark", is_flag=True, help="Also start a Spark session and run a job (up to half a minute).")
@click.pass_context
def doctor(context: click.Context, *, spark: bool) -> None:
    """Print which requirements of the harness this machine has.

    Exits with 0 when everything is there, with 4 when something is missing; then advice is printed, too.
    """
    findings = diagnose(spark=spark)
    _show(findings)
    if not all(finding.ok for finding in findings):
        context.exit(ToolError.exit_code)


def _show(findings: list[ToolFinding]) -> None:
    """Print the findings as a table, then what to do about each one that has advice."""
    console = Console()
    table = Table("", "What")
    table.add_column("Found", overflow="fold")
    for finding in findings:
        mark = "[green]ok[/]" if finding.ok else "[bold red]not ok[/]"
        table.add_row(mark, finding.name, escape(finding.found))
    console.print(table)
    for finding in findings:
        if finding.advice:
            click.echo(f"{finding.name}: {finding.advice}")
