"""``pyharness model``: write a model out for inspection, without running it."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from pyharness.cli.specs_option import specs_option
from pyharness.errors import SpecError
from pyharness.plan.plan import read_plan
from pyharness.run.machine_tools import find_tools
from pyharness.toolchain.spec_files import find_plan

__all__ = ["model"]


@click.command()
@click.argument("plan")
@click.argument("name")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write Model.tla and Model.cfg into this directory."
)
@specs_option
def model(plan: str, name: str, out: Path | None, specs: Path) -> None:
    """Render the model NAME of PLAN: to standard output, or with --out to files, with the command that runs them."""
    read = read_plan(find_plan(plan, specs), specs)
    chosen = next((m for m in read.models if m.name == name), None)
    if chosen is None:
        raise SpecError.unknown(f"model of plan {read.name}", name, (m.name for m in read.models))
    rendered = chosen.render(read.library)
    if out is None:
        click.echo(f"{rendered.tla}\n\\* {rendered.module}.cfg\n{rendered.cfg}", nl=False)
        return
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{rendered.module}.tla").write_text(rendered.tla, encoding="utf-8")
    (out / f"{rendered.module}.cfg").write_text(rendered.cfg, encoding="utf-8")
    tools = find_tools(specs)
    library = ":".join(str(path) for path in tools.specs)
    words = [
        str(tools.java),
        f"-DTLA-Library={library}",
        "-cp",
        str(tools.jar),
        "tlc2.TLC",
        "-deadlock",
        rendered.module,
    ]
    click.echo(f"cd {shlex.quote(str(out))} && {shlex.join(words)}")
