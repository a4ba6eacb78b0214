"""``pyharness init``: a starter for specs of one's own in another repository."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

import click

from pyharness.errors import SpecError
from pyharness.toolchain.own_files import own_directory, own_place

__all__ = ["STARTER", "init"]

STARTER: Final = {
    "specs/MyChandyLamport.tla": "MyChandyLamport.tla",
    "specs/plans/quick.toml": "quick.toml",
    ".github/workflows/snapshots.yml": "snapshots.yml",
}
"""The files that are written, each with the file of the package that it is a copy of."""


@click.command()
@click.argument("directory", metavar="[DIR]", type=click.Path(path_type=Path, file_okay=False), default=".")
def init(directory: Path) -> None:
    """Write a starter into DIR (default: here): a plan, a spec that extends a shipped one, and a GitHub workflow.

    `pyharness check` there then checks it. Exits with 2, and writes nothing, if one of the files is there already,
    or a link leads to where it would be.
    """
    directory = own_place(directory)
    for name in STARTER:
        own_place(directory / name)
    there = [name for name in STARTER if (directory / name).exists()]
    if there:
        raise SpecError(
            f"there already: {', '.join(there)}", where=str(directory), hint="name another directory"
        )
    try:
        for name, source in STARTER.items():
            path = directory / name
            own_directory(path.parent)
            with path.open("x", encoding="utf-8") as file:
                file.write(files("pyharness.cli").joinpath("starter", source).read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecError(
            f"cannot be written: {error.strerror}", where=str(error.filename or directory)
        ) from None
    for name in STARTER:
        click.echo(f"wrote {directory / name}")
    enter = "" if directory == Path() else f"cd {directory} && "
    click.echo(f"next: {enter}pyharness check; results go to build/, which git should ignore")
