"""Places in files, in the form shown to users."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_NAMED: Final = re.compile(r"([A-Za-z0-9_]+\.(?:tla|cfg))(?::(\d+))?")


@dataclass(frozen=True, slots=True)
class Place:
    """A line (from 1) of a file, whose path is relative to the working directory where the file is below it."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def place_of(path: Path, line: int) -> Place:
    """Return a place in a file."""
    full, here = path.resolve(), Path.cwd().resolve()
    return Place((full.relative_to(here) if full.is_relative_to(here) else path).as_posix(), line)


def first_place(text: str, module: Path, *libraries: Path) -> Place:
    """Return the first place that a text names, in a file beside a module or in a library, or else its beginning."""
    for name, line in _NAMED.findall(text):
        for directory in (module.parent, *libraries):
            if (directory / name).is_file():
                return place_of(directory / name, int(line or 1))
    return place_of(module, 1)
