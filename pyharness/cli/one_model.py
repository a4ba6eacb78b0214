"""The options and the names that say which model is meant: of a spec on graphs, or of a module with a configuration."""

from __future__ import annotations

import functools
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import is_file, module_directories, named_files
from pyharness.base.topology import NOTATION
from pyharness.cli.progress import telling
from pyharness.tla.modules.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyharness.tla.tlc import Progress

_OF_A_PLAN: Final = {
    "only": "--only", "fresh": "--fresh", "master": "--master", "as_list": "--list",
    "budget": "--budget",
}  # fmt: skip


TOPOLOGIES: Final = click.option(
    "--topology", "topologies", multiple=True, metavar=NOTATION, help="Of SPEC: a graph; may be repeated."
)
ITEMS: Final = click.option("--items", type=click.IntRange(1, 9), help="Of SPEC: items that move.")
CONSTANTS: Final = click.option(
    "--constant",
    "constants",
    multiple=True,
    metavar="NAME=VALUE",
    help="Of SPEC, FOO.tla: such as Records=2.",
)
"""Options that say which model of a spec is meant, or of the file of a module."""


def asked_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say which model of a spec is meant, except overrides."""
    options = (
        TOPOLOGIES,
        ITEMS,
        click.option("--mutant", metavar="NAME", help="Of SPEC: a seeded bug; or write SPEC:NAME."),
        click.option(
            "--property",
            "properties",
            multiple=True,
            metavar="NAME",
            help="Of SPEC, FOO.tla: check this alone.",
        ),
        CONSTANTS,
    )
    for option in reversed(options):
        command = option(command)
    return command


def file_options(command: Any) -> Any:
    """Add the options that say where a module's file finds its configuration, and modules."""
    options = (
        click.option(
            "--config",
            type=click.Path(path_type=Path),
            help="Of FOO.tla: its configuration; default FOO.cfg beside it.",
        ),
        click.option(
            "--library",
            "libraries",
            multiple=True,
            type=click.Path(path_type=Path),
            help="Of FOO.tla: a directory of modules that it extends; may be repeated.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def named_mutant(subject: str, mutant: str | None = None) -> tuple[str, str | None]:
    """Part ``SPEC:MUTANT`` into its two names; ``mutant`` is what ``--mutant`` says.

    Raises SpecError if both name a mutant, and not the same.
    """
    spec, colon, named = subject.partition(":")
    if colon and not named:
        raise SpecError(f"{subject!r} names no mutant", hint="such as ChandyLamport:LateTurn")
    if named and mutant and named != mutant:
        raise SpecError(f"two mutants are given, {named} and {mutant}", hint="give one of the two")
    return spec, named or mutant


def one_model_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of one model to a command, which takes them as ``one``."""

    @asked_options
    @click.option(
        "--override",
        "overrides",
        multiple=True,
        metavar="OP=DEF",
        help="Of SPEC: a bug of your own; may be repeated.",
    )
    @click.option("--workers", type=click.IntRange(1), help="Of SPEC, FOO.tla: TLC's threads; default 1.")
    @click.option("--seconds", type=click.IntRange(1), help="Of SPEC, FOO.tla: at most, for TLC.")
    @click.option("--open", "opens", is_flag=True, help="Of SPEC, FOO.tla: show the counterexample's page.")
    @functools.wraps(command)
    def wrapped(*arguments: Any, **options: Any) -> None:
        names = [
            "topologies",
            "items",
            "mutant",
            "overrides",
            "properties",
            "constants",
            "workers",
            "seconds",
            "opens",
        ]
        one = {name: options.pop(name) for name in names}
        command(*arguments, one=one, **options)

    return wrapped


def is_spec(name: str, specs: Path, one: Mapping[str, Any]) -> bool:
    """Tell whether a name is that of a spec, with or without a mutant's, and not of a plan or its file.

    Raises SpecError, with the nearest of both, for a name of neither, and for an option of the other kind.
    """
    library, plans = Library(*module_directories(specs)), named_files("plans", specs)
    path = Path(name)
    if os.path.isdir(name):  # noqa: PTH112 - a name that no file can have is none of a directory
        modules = ", ".join(str(each) for each in sorted(path.glob("*.tla"))[:5])
        hint = f"name a module in it: {modules}" if modules else "there is no module, *.tla, in it"
        raise SpecError("a directory", where=name, hint=hint)
    if name in plans or is_file(path):
        given = [key for key, value in one.items() if value]
        if given:
            hint = "name a spec, such as ChandyLamport"
            raise SpecError(f"{name} is a plan; --{_option(given[0])} is of one model", hint=hint)
        return False
    if name.partition(":")[0] in library:
        return True
    known = [
        *plans,
        *(m for m in library.names() if library.path(m).parent.name not in ("mutants", "inductive")),
    ]
    if is_file(Path(f"{name}.tla")):
        raise SpecError(f"no plan or spec {name!r}", hint=f"did you mean {name}.tla?")
    raise SpecError.unknown("plan or spec", name, known, otherwise="or name a plan's file")


def _option(key: str) -> str:
    return {"topologies": "topology", "overrides": "override", "properties": "property", "constants": "constant",
            "opens": "open"}.get(key, key)  # fmt: skip


def require_none_of_a_plan(context: click.Context, subject: str) -> None:
    """Require that no option is given that is of a plan, and not of what ``subject`` says. Raises SpecError."""
    for key, option in _OF_A_PLAN.items():
        if context.get_parameter_source(key) is ParameterSource.COMMANDLINE:
            raise SpecError(f"{subject}; {option} is of a plan", hint="name a plan, such as quick")


@contextmanager
def tlc_progress(spec: str) -> Iterator[Callable[[Progress], None]]:
    """Show how far TLC is."""
    with telling(f"TLC reads {spec}") as tell:
        yield lambda now: tell(f"{now.distinct or 0:,} states, {now.queue or 0:,} on the queue")
