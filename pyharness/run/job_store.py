"""The rows that a finished job leaves in a file of its own."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Row", "finished_rows", "leave_rows"]

Row = tuple[str, dict[str, Any]]
"""A table's name and one row of it."""


def leave_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write a job's rows, whole or not at all: under another name first, which is then changed."""
    draft = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    draft.write_text(json.dumps(list(rows)), encoding="utf-8")
    draft.replace(path)


def finished_rows(path: Path) -> list[Row] | None:
    """Read a job's rows, or give ``None`` when it has not finished."""
    try:
        return [(table, row) for table, row in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError):
        return None
