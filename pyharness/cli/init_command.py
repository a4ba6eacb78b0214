"""``pyharness init``: a starter for specs of one's own in another repository."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.own_files import own_directory, own_place

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

STARTER: Final = {
    "specs/MyChandyLamport.tla": "MyChandyLamport.tla",
    "specs/plans/quick.toml": "quick.toml",
    ".github/workflows/snapshots.yml": "snapshots.yml",
}
"""The files that are written, each with the file of the package that it is a copy of."""

PROGRAMS: Final = {
    "c": ("snapshot.c", "cc -o snapshot snapshot.c && pyharness hold -- ./snapshot"),
    "javascript": ("snapshot.js", "pyharness hold -- node snapshot.js"),
    "perl": ("snapshot.pl", "pyharness hold -- perl snapshot.pl"),
    "python": ("snapshot.py", "pyharness hold -- python3 snapshot.py"),
}
"""By language the program that is written for ``pyharness hold``, and the command that holds it."""


@click.command()
@click.argument("directory", metavar="[DIR]", type=click.Path(path_type=Path, file_okay=False), default=".")
@click.option(
    "--hold",
    "language",
    type=click.Choice(list(PROGRAMS)),
    help="Instead, a program in this language that `pyharness hold` passes.",
)
def init(directory: Path, *, language: str | None) -> None:
    """Write a starter into DIR (default: here): a plan, a spec that extends a shipped one, and a GitHub workflow.

    `pyharness check` there then checks it. Exits with 2, and writes nothing, if one of the files is there already,
    or a link leads to where it would be.
    """
    enter = "" if directory == Path() else f"cd {directory} && "
    if language is None:
        _write(directory, {name: files("pyharness.cli") / "starter" / of for name, of in STARTER.items()})
        click.echo(f"next: {enter}pyharness check; results go to build/, which git should ignore")
    else:
        name, command = PROGRAMS[language]
        _write(directory, {name: files("pyharness.hold.programs") / "starters" / name})
        click.echo(f"next: {enter}{command}")


def _write(directory: Path, wanted: Mapping[str, Traversable]) -> None:
    """Write copies of files of the package, all or none, and print their names. Raises SpecError if that cannot be."""
    directory = own_place(directory)
    for name in wanted:
        own_place(directory / name)
    there = [name for name in wanted if (directory / name).exists()]
    if there:
        raise SpecError(
            f"there already: {', '.join(there)}", where=str(directory), hint="name another directory"
        )
    try:
        for name, source in wanted.items():
            path = directory / name
            own_directory(path.parent)
            with path.open("x", encoding="utf-8") as file:
                file.write(source.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecError(
            f"cannot be written: {error.strerror}", where=str(error.filename or directory)
        ) from None
    for name in wanted:
        click.echo(f"wrote {directory / name}")
