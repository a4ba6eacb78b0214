"""What ``--out`` and ``--page`` may be: a file, a directory, or for a plan's run the URI of a place in a store."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import click

from pyharness.run.store_uri import StoreUri
from pyharness.toolchain.own_files import named_directory, require_file_place


class _Directory(click.Path):
    """A path; a URI would be a directory of that name, which nobody means."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        if isinstance(value, str) and StoreUri.is_one(value):
            self.fail(f"{value} is a URI; only check and gate of a plan take one here", param, ctx)
        return named_directory(Path(os.fsdecode(super().convert(value, param, ctx))))


DIRECTORY: Final = _Directory(file_okay=False, path_type=Path)
"""The type of an option that names a directory."""


class _File(click.Path):
    """A file that is written at the end: that it cannot be is said at the beginning."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        require_file_place(path)
        return path


FILE: Final = _File(path_type=Path)
"""The type of an option that names a file to be written."""


def directory_or_store(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> Path | StoreUri | None:
    """Return what an option names, as its callback. Raises SpecError for a URI that cannot be used, or a link."""
    if value is None:
        return None
    return StoreUri.parse(value) if StoreUri.is_one(value) else named_directory(Path(value))
