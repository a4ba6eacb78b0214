"""The options and the names that choose a model: of a spec on graphs, or of a module with a configuration."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import is_file, module_directories, named_files
from pyharness.base.topology import NOTATION
from pyharness.cli.progress import progress_line
from pyharness.cli.shared_options import options
from pyharness.tla.modules.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyharness.tla.tlc import Progress

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
"""Options that choose a model of a spec, or of the file of a module."""


PROPERTIES: Final = click.option(
    "--property", "properties", multiple=True, metavar="NAME", help="Of SPEC, FOO.tla: check this alone."
)
asked_options = options(TOPOLOGIES, ITEMS, PROPERTIES, CONSTANTS)
"""Options that choose a model of a spec, except overrides."""

file_options = options(
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
"""Options that set where a module's file finds its configuration, and modules."""

one_model_options = options(
    asked_options,
    click.option(
        "--override",
        "overrides",
        multiple=True,
        metavar="OP=DEF",
        help="Of SPEC: a bug of your own; may be repeated.",
    ),
    click.option("--workers", type=click.IntRange(1), help="Of SPEC, FOO.tla: TLC's threads; default 1."),
    click.option("--seconds", type=click.IntRange(1), help="Of SPEC, FOO.tla: at most, for TLC."),
    click.option("--open", "opens", is_flag=True, help="Of SPEC, FOO.tla: show the counterexample's page."),
)
"""The options of one model that is checked."""

ASKED: Final = ("topologies", "items", "properties", "constants")
ONE_MODEL: Final = (*ASKED, "overrides", "workers", "seconds", "opens")
"""The names of these options, as a command takes them."""


def named_mutant(subject: str) -> tuple[str, str | None]:
    """Part ``SPEC:MUTANT`` into its two names. Raises SpecError if one of them is empty."""
    spec, colon, named = subject.partition(":")
    if colon and not (spec and named):
        missing = "mutant" if spec else "spec"
        raise SpecError(f"{subject!r} names no {missing}", hint="such as ChandyLamport:LateTurn")
    return spec, named or None


def is_spec(name: str, specs: Path) -> bool:
    """Return whether a name is that of a spec, with or without a mutant's, and not of a plan or its file.

    Raises SpecError, with the nearest of both, for a name of neither.
    """
    library, plans = Library(*module_directories(specs)), named_files("plans", specs)
    path = Path(name)
    if os.path.isdir(name):  # noqa: PTH112 - a name that no file can have is not a directory's
        modules = ", ".join(str(each) for each in sorted(path.glob("*.tla"))[:5])
        hint = f"name a module in it: {modules}" if modules else "there is no module, *.tla, in it"
        raise SpecError("a directory", where=name, hint=hint)
    if name in plans or is_file(path):
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


@contextmanager
def tlc_progress(spec: str) -> Iterator[Callable[[Progress], None]]:
    """Show TLC's progress."""
    with progress_line(f"TLC reads {spec}") as progress:
        yield lambda now: progress(f"{now.distinct or 0:,} states, {now.queue or 0:,} on the queue")
