"""The files of a counterexample: a page, ITF and text, in a directory of their own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import click

from pyharness.errors import SpecError
from pyharness.toolchain.own_files import listed_files, own_directory, remove, write_list

if TYPE_CHECKING:
    from pathlib import Path

    from pyharness.library.notebook_trace import Trace

_FILES: Final = {ending: f"counterexample{ending}" for ending in (".html", ".itf.json", ".txt")}


def require_ours(directory: Path) -> None:
    """Require that no file of somebody else's has the name of one that is written, or removed, after the run."""
    foreign = [n for n in _FILES.values() if (directory / n).exists() and n not in listed_files(directory)]
    if foreign:
        raise SpecError(
            f"it would be replaced, and an earlier run did not write it: {foreign[0]}",
            where=str(directory),
            hint="move it away, or name another directory by --out",
        )


def leave_page(trace: Trace | None, directory: Path) -> Path | None:
    """Write the counterexample as a page, as ITF and as text; remove an older one's, which is of another run."""
    files = {ending: directory / name for ending, name in _FILES.items()}
    for path in files.values():
        remove(path)
    if trace is None:
        return None
    own_directory(directory)
    for path in files.values():
        trace.save(path)
    write_list(directory, _FILES.values())
    return files[".html"]


def show_page(page: Path | None, *, as_json: bool, opens: bool) -> None:
    """Say where a page is, if that is not in a document, and open it in a browser if wanted."""
    if page is None:
        return
    if not as_json:
        click.echo(f"page: {os.path.relpath(page)}")
    if opens:
        click.launch(str(page))
