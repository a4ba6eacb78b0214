"""``pyharness claims``: the table of claims, made from specs/claims.toml and a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pyharness.cli.specs_option import specs_option
from pyharness.errors import IncompleteError, SpecError
from pyharness.judge.claim_coverage import ClaimRow, claim_rows
from pyharness.pipeline.stages import STAGES
from pyharness.plan.claims import read_claims
from pyharness.plan.plan import read_plan
from pyharness.proof.expectations import label
from pyharness.toolchain.spec_files import find_file, find_plan, require_own

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["claims", "claims_table"]

BEGIN, END = "<!-- claims: made by `pyharness claims --update` -->", "<!-- end of claims -->"


@click.command()
@click.argument("plan", default="quick")
@click.option("--update", is_flag=True, help="Rewrite the table in specs/README.md.")
@click.option(
    "--check", "only_check", is_flag=True, help="Only tell whether the table in specs/README.md is this one."
)
@specs_option
@click.pass_context
def claims(context: click.Context, plan: str, *, update: bool, only_check: bool, specs: Path) -> None:
    """Print for each claim what states it, the models of PLAN that check it, the mutants they catch, what is proved.

    Exits with 3 if PLAN leaves a claim unchecked, and with --check also if the table in specs/README.md is another.
    """
    rows = claim_rows(
        read_claims(find_file("claims.toml", specs)), read_plan(find_plan(plan, specs), specs), STAGES
    )
    table = claims_table(rows)
    if update or only_check:
        readme = specs / "README.md"
        old = readme.read_text(encoding="utf-8")
        before, begin, rest = old.partition(BEGIN)
        _, end, after = rest.partition(END)
        if not begin or not end:
            raise SpecError(
                "no place for the table", where=str(readme), hint=f"add the lines {BEGIN} and {END}"
            )
        new = f"{before}{begin}\n{table}\n{end}{after}"
        if update:
            require_own(readme).write_text(new, encoding="utf-8")
        elif new != old:
            raise IncompleteError(
                "the table of claims is not what the plan does",
                where=readme.name,
                hint="run `pyharness claims --update`",
            )
    else:
        click.echo(table)
    unchecked = [f"{row.claim.id}: {', '.join(row.unchecked)}" for row in rows if row.unchecked]
    for line in unchecked:
        click.echo(f"unchecked: {line}", err=True)
    context.exit(IncompleteError.exit_code if unchecked else 0)


def claims_table(rows: Iterable[ClaimRow]) -> str:
    """Return the table of claims as Markdown."""
    lines = [
        "| claim | in words | properties | checked: models | mutants that they catch | proved |",
        "|---|---|---|---|---|---|",
    ]
    lines += [f"| {' | '.join(_cells(row))} |" for row in rows]
    return "\n".join([*lines, "", f"*Proved*: by `pyharness prove`, {label()}."])


def _cells(row: ClaimRow) -> Iterable[str]:
    claim = row.claim
    yield claim.id
    yield claim.says
    stated = [f"`{name}`" for name in claim.properties] + [f"not `{name}`" for name in claim.refuted]
    stated += ["all of the models'"] if claim.models else []
    stated += [f"`pyharness {claim.harness}`, for every trace"] if claim.harness else []
    yield ", ".join(stated)
    yield ", ".join(row.models)
    yield ", ".join(row.mutants)
    yield row.proved
