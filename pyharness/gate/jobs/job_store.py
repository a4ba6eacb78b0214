"""The rows that a job leaves in a file of its own, with what shows that they are complete and still readable.

The file is one JSON object: the format, the job's id, the version of the rows' columns, the rows by table, whether the
job *finished* (another run would find the same), and the seal of all this (:mod:`pyharness.base.toolchain.seal`). A file
that does not fit counts as missing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import read_bytes
from pyharness.base.toolchain.own_files import write_text
from pyharness.base.toolchain.seal import VARIABLE, is_sealed, seal
from pyharness.models.table_rows import (
    TABLES,
    ConformanceRow,
    ExampleRow,
    LogRow,
    ReorderingRow,
    RunRow,
    from_plain,
    rows_version,
    table_of,
    to_plain,
)
from pyharness.models.verdicts import Verdict
from pyharness.tla.tlc.spec_problems import names_a_place

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyharness.models.table_rows import TableRow

FORMAT: Final = "pyharness-job/1"

_MOST_BYTES: Final = 1 << 30

NOT_OURS: Final = (
    f"its checksum is not that of its content, made with your key ({VARIABLE} names one for several)"
)
"""The problem that is reported for rows without this user's seal."""


@dataclass(frozen=True, slots=True)
class LeftRows:
    """The rows that a job left, and whether it ``finished``; ``problem`` is the reason why its file cannot be used."""

    rows: tuple[TableRow, ...] = ()
    finished: bool = False
    problem: str | None = None


def is_finished(rows: Iterable[TableRow]) -> bool:
    """Return whether a job that left these rows finished, so that it need not run again.

    A run of TLC that was killed, ran out of time or memory, or could not do its part has not; nor has a comparison that
    ended in an error, a reordering that TLC neither accepted nor refused, an example or a log without a verdict, or a
    job that left no row. A job that cannot read the spec has, if its message would be the same again: a message that
    names a place in a module may differ next time, though the job is the same.
    """
    row = None
    for row in rows:
        if isinstance(row, RunRow):
            if not row.complete and row.verdict is not Verdict.SPEC_ERROR:
                return False
            if names_a_place(row.detail):
                return False
        elif (
            (isinstance(row, ConformanceRow) and row.error is not None)
            or (isinstance(row, ReorderingRow) and row.agreed and row.accepted is None)
            or (
                isinstance(row, ExampleRow | LogRow)
                and Verdict.of(row.verdict) in {Verdict.INCOMPLETE, Verdict.ERROR}
            )
        ):
            return False
    return row is not None


def leave_rows(path: Path, rows: Iterable[TableRow]) -> None:
    """Write the rows of the job that ``path`` is named after, all or none: to a file of another name first."""
    kept = list(rows)
    content = {
        "format": FORMAT,
        "job": path.stem,
        "columns": rows_version(),
        "finished": is_finished(kept),
        "rows": [[table_of(row), to_plain(row)] for row in kept],
    }
    write_text(path, json.dumps({"sha256": seal(FORMAT, _plain(content)), **content}))


def left_rows(path: Path) -> LeftRows:
    """Read the rows that a job left in the file ``path``: none without a file, and a problem if the file does not fit."""
    if not path.exists():
        return LeftRows()
    try:
        content = json.loads(read_bytes(path, _MOST_BYTES))
    except (SpecError, ValueError, RecursionError) as error:
        return LeftRows(problem=f"it cannot be read: {error}")
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        return LeftRows(problem="another version of pyharness wrote it")
    if not is_sealed(content.pop("sha256", None), FORMAT, _plain(content)):
        return LeftRows(problem=NOT_OURS)
    if content.get("job") != path.stem:
        return LeftRows(problem="it is of another job")
    if content["columns"] != rows_version():
        return LeftRows(problem="its rows have other columns than today's")
    rows = tuple(from_plain(TABLES[table], row) for table, row in content["rows"])
    return LeftRows(rows, content["finished"])


def finished_rows(path: Path) -> tuple[TableRow, ...] | None:
    """Return the rows of a job that finished, or ``None`` when it has not, or left nothing that fits."""
    left = left_rows(path)
    return left.rows if left.finished else None


def _plain(content: dict[str, Any]) -> str:
    return json.dumps(content, sort_keys=True)
