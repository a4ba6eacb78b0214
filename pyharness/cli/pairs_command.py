"""``pyharness plan pairs``: which features the models that are compared have in pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pyharness.base.errors import IncompleteError
from pyharness.base.toolchain.spec_files import find_plan
from pyharness.cli.shared_options import specs_option
from pyharness.gate.plans.feature_pairs import tables_beside, wrong_in_pairs
from pyharness.gate.plans.plan import read_plan

if TYPE_CHECKING:
    from pathlib import Path

    from pyharness.gate.plans.feature_pairs import PairTable


@click.command()
@specs_option
@click.pass_context
def pairs(context: click.Context, *, specs: Path) -> None:
    """Print for each spec which two features some model has on one graph: a defect may need both to be seen.

    The models are those of all plans beside `quick` that are compared with Python state by state. What makes no sense
    is listed in specs/feature-pairs.toml, with reasons.

    Exits with 3 if a pair is in no model and not listed, or if the list has an entry that does not apply.
    """
    tables, senseless = tables_beside(read_plan(find_plan("quick", specs), specs))
    wrong = wrong_in_pairs(tables, senseless)
    click.echo("\n\n".join(map(_table, tables)))
    for line in wrong:
        click.echo(line, err=True)
    context.exit(IncompleteError.exit_code if wrong else 0)


def _table(table: PairTable) -> str:
    """Return the table: a row and a column for each feature but the last and the first."""
    columns = table.features[1:]
    lines = [f"| {table.spec} | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for number, row in enumerate(table.features[:-1]):
        cells = [""] * number + [_cell(table, (row, column)) for column in table.features[number + 1 :]]
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(table: PairTable, pair: tuple[str, str]) -> str:
    if pair not in table.every:
        return ""
    if table.every[pair]:
        return "every"
    return "walks" if table.walked[pair] else "–" if pair in table.senseless else "**none**"
