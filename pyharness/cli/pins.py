"""``pyharness pins``: compare the counts a plan pins with those last measured, and rewrite them."""

from __future__ import annotations

from pathlib import Path

import click
import tomlkit

from pyharness.errors import IncompleteError
from pyharness.pipeline.jobs import plan_jobs
from pyharness.pipeline.places import ROOT, SPECS, find_plan, find_tools
from pyharness.pipeline.plan import Pins, Plan, read_plan
from pyharness.pipeline.rows import finished_rows

__all__ = ["pins"]


@click.command()
@click.argument("plan", default="quick")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Where `check` put its results; default build/PLAN."
)
@click.option("--update", is_flag=True, help="Rewrite the plan; its comments and its order stay.")
@click.pass_context
def pins(context: click.Context, plan: str, *, out: Path | None, update: bool) -> None:
    """Show where PLAN's pins differ from what `pyharness check PLAN` measured.

    Exits with 0 if they are equal or were updated, with 3 if they differ or a model was not measured.
    """
    read = read_plan(find_plan(plan), SPECS)
    measured = _measured(read, out or ROOT / "build" / read.name)
    differing = {}
    for model in read.models:
        if model.expect != "pass":
            continue
        found = measured.get(model.name)
        if found is None:
            raise IncompleteError(
                "no complete run to take pins from", where=model.name, hint="run `pyharness check`"
            )
        if found != model.pins:
            differing[model.name] = found
            click.echo(f"{model.name}: {_show(model.pins)} -> {_show(found)}")
    if not differing:
        click.echo("all pins are as measured")
    elif update:
        document = tomlkit.parse(read.path.read_text(encoding="utf-8"))
        for table in document["model"]:
            found = differing.get(str(table["name"]))
            if found is not None:
                value = tomlkit.inline_table()
                value.update({"distinct": found.distinct, "generated": found.generated})
                table["pins"] = value
        read.path.write_text(tomlkit.dumps(document), encoding="utf-8")
    else:
        context.exit(IncompleteError.exit_code)


def _measured(plan: Plan, out: Path) -> dict[str, Pins]:
    """Read the counts of the last successful run of each model, with the plan as it is now."""
    found = {}
    for job in plan_jobs(plan, find_tools()):
        for table, row in finished_rows(out / "jobs" / f"{job.id}.json") or []:
            if table == "runs" and row["kind"] == "check" and row["outcome"] == "SUCCESS":
                found[job.model.name] = Pins(row["distinct"], row["generated"])
    return found


def _show(pinned: Pins | None) -> str:
    return "none" if pinned is None else f"{pinned.distinct} distinct, {pinned.generated} generated"
