"""``pyharness plan model``: write a model out for inspection, without running it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.own_files import write_text
from pyharness.base.toolchain.spec_files import find_plan
from pyharness.base.topology import parse_topologies
from pyharness.cli.library.model_checks import asked_model, is_module_file
from pyharness.cli.one_model import ASKED, asked_options, file_options, is_spec, named_mutant
from pyharness.cli.shared_options import DIRECTORY, require_none_given, specs_option
from pyharness.gate.plans.plan import read_plan
from pyharness.gate.plans.requested_model import parse_constants, requested_model
from pyharness.models.machine_tools import find_tools

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.model import Model

_PLAN: Final = "quick"
"""The plan whose models of a spec are the ones that are changed as asked."""

_NO_DEADLOCK: Final = "\\* deadlock is not looked for: TLC is run with its option -deadlock\n"


@click.command()
@click.argument("subject", metavar="PLAN|SPEC[:MUTANT]|FOO.tla")
@click.argument("name", required=False)
@asked_options
@file_options
@click.option("--out", type=DIRECTORY, help="Write Model.tla and Model.cfg into this directory.")
@specs_option
def model(
    subject: str,
    name: str | None,
    *,
    config: Path | None,
    libraries: tuple[Path, ...],
    out: Path | None,
    specs: Path,
    **asked: Any,
) -> None:
    """Render a model: to standard output, or with --out to files, with the command that runs them.

    \b
      pyharness plan model quick chandy-lamport                       the model NAME of PLAN
      pyharness plan model ChandyLamport --topology ring:3 --items 2  what `pyharness check` checks of a spec
      pyharness plan model Counter.tla --constant 'Most=3'            what it checks of a module
    """  # noqa: D301 - click reads the \b
    if is_module_file(subject):
        if name is not None:
            raise SpecError(f"{subject} is the file of one model", hint=f"leave {name} out")
        of = asked_model(Path(subject), "plan model", config=config, libraries=libraries, asked=asked)
        module, tla = of.shown()
        if java := sorted(file for place in of.library.directories for file in place.glob("*.class")):
            hint = "the command that runs the model would run it: take it out of the directory"
            raise SpecError("Java among the modules", where=str(java[0]), hint=hint)
        cfg = of.config.text() + ("" if of.config.check_deadlock else _NO_DEADLOCK)
        _leave(module, tla, cfg, out, of.library.directories, deadlock=of.config.check_deadlock)
        return
    require_none_given(("config", "libraries"), "the file of a module: FOO.tla", subject)
    if is_spec(subject, specs):
        if name is not None:
            hint = f"name a plan, such as {_PLAN}, or leave {name} out"
            raise SpecError(f"{subject} is a spec, and has no model {name!r}", hint=hint)
        read = read_plan(find_plan(_PLAN, specs), specs)
        chosen = _asked(subject, read, asked)
    else:
        require_none_given(ASKED, "one model; name a spec, such as ChandyLamport", subject)
        read = read_plan(find_plan(subject, specs), specs)
        chosen = _named(read, name)
    rendered = chosen.render(read.library)
    _leave(
        rendered.module,
        rendered.tla,
        rendered.cfg,
        out,
        find_tools(specs).specs if out else (),
        deadlock=False,
    )


def _leave(
    module: str, tla: str, cfg: str, out: Path | None, libraries: Sequence[Path], *, deadlock: bool
) -> None:
    """Print a module and its configuration, or write them and print the command that runs them."""
    if out is None:
        click.echo(f"{tla}\n\\* {module}.cfg\n{cfg}", nl=False)
        return
    write_text(out / f"{module}.tla", tla)
    write_text(out / f"{module}.cfg", cfg)
    tools = find_tools()
    library = ":".join(str(path.resolve()) for path in libraries)
    words = [
        str(tools.java),
        f"-DTLA-Library={library}",
        "-cp",
        str(tools.jar),
        "tlc2.TLC",
        *([] if deadlock else ["-deadlock"]),
        module,
    ]
    click.echo(f"cd {shlex.quote(str(out))} && {shlex.join(words)}")


def _named(plan: Plan, name: str | None) -> Model:
    names = [model.name for model in plan.models]
    if name is None:
        hint = f"such as {names[0]}; `pyharness check {plan.name} --list` prints all"
        raise SpecError(f"which model of the plan {plan.name}?", hint=hint)
    if name not in names:
        raise SpecError.unknown(f"model of plan {plan.name}", name, names)
    return plan.models[names.index(name)]


def _asked(subject: str, plan: Plan, asked: dict[str, Any]) -> Model:
    spec, mutant = named_mutant(subject)
    return requested_model(
        spec,
        plan,
        topologies=parse_topologies(asked["topologies"], where="--topology") if asked["topologies"] else (),
        mutant=mutant,
        properties=asked["properties"] or None,
        constants=parse_constants(asked["constants"]) or None,
        items=asked["items"],
    )
