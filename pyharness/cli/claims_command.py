"""``pyharness plan claims``: the table of claims, made from specs/claims.toml and a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.bounded_files import MOST_MODULE_BYTES, read_utf8
from pyharness.base.toolchain.own_files import write_named
from pyharness.base.toolchain.spec_files import find_file, find_plan, require_own
from pyharness.cli.shared_options import specs_option
from pyharness.gate.judge.claim_coverage import ClaimRow, PartRow, claim_rows, expected_evidence
from pyharness.gate.plans.claims import read_claims
from pyharness.gate.plans.plan import read_plan
from pyharness.gate.plans.proof_lists import label

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

BEGIN, END = "<!-- claims: made by `pyharness plan claims --update` -->", "<!-- end of claims -->"


@click.command()
@click.argument("plan", default="quick")
@click.option("--update", is_flag=True, help="Rewrite the table in specs/README.md.")
@click.option(
    "--check", "only_check", is_flag=True, help="Only check whether the table in specs/README.md is this one."
)
@specs_option
@click.pass_context
def claims(context: click.Context, plan: str, *, update: bool, only_check: bool, specs: Path) -> None:
    """Print for each claim what states it, the models of PLAN that check it, their mutants, what is to be proved.

    It is what a run finds if every model has the result that PLAN expects; `pyharness check` judges an actual run.

    Exits with 3 if PLAN leaves a part of a claim unchecked, and with --check also if the table in specs/README.md is
    another.
    """
    read = read_plan(find_plan(plan, specs), specs)
    rows = claim_rows(read_claims(find_file("claims.toml", specs)), read, expected_evidence(read))
    table = claims_table(rows)
    if update or only_check:
        readme = specs / "README.md"
        old = read_utf8(readme, MOST_MODULE_BYTES)
        before, begin, rest = old.partition(BEGIN)
        _, end, after = rest.partition(END)
        if not begin or not end:
            raise SpecError(
                "no place for the table", where=str(readme), hint=f"add the lines {BEGIN} and {END}"
            )
        new = f"{before}{begin}\n{table}\n{end}{after}"
        if update:
            write_named(require_own(readme), new)
        elif new != old:
            raise IncompleteError(
                "the table of claims is not what the plan does",
                where=readme.name,
                hint="run `pyharness plan claims --update`",
            )
    else:
        click.echo(table)
    unchecked = [f"{row.claim.id}: {lacking}" for row in rows for lacking in row.unchecked]
    for line in unchecked:
        click.echo(f"unchecked: {line}", err=True)
    context.exit(IncompleteError.exit_code if unchecked else 0)


def claims_table(rows: Iterable[ClaimRow]) -> str:
    """Return the table of claims as Markdown, with a line for each part of a claim that has several."""
    lines = [
        "| claim | in words | properties | needs | checked: models | mutants that they catch | to be proved |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        claim, parts = row.claim, row.parts
        head = [claim.id, claim.says, *(_cells(parts[0]) if len(parts) == 1 else [""] * 4), row.proved]
        lines.append(f"| {' | '.join(head)} |")
        for number, part in enumerate(parts if len(parts) > 1 else (), start=1):
            lines.append(f"| {' | '.join([f'{claim.id}.{number}', part.part.says, *_cells(part), ''])} |")
    return "\n".join([*lines, "", f"*Proved*: by `pyharness prove`, {label()}."])


def _cells(row: PartRow) -> Iterable[str]:
    part = row.part
    stated = [f"`{name}`" for name in part.properties] + [f"not `{name}`" for name in part.refuted]
    stated += [f"`pyharness trace {part.harness}`, for every trace"] if part.harness else []
    yield ", ".join(stated)
    yield ", ".join([*(f"{key} = {value}" for key, value in part.where.items()), *part.needs])
    yield ", ".join(model.name for model in row.models)
    yield ", ".join(row.mutants)
