"""A place in a file, as people read it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Place", "place_of"]


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
