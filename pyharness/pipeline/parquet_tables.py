"""The tables of a run as Parquet, written only when they are not there already with the same rows."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

from pyharness.errors import ToolError
from pyharness.run.table_rows import TABLES, rows_of, rows_version, to_plain
from pyharness.toolchain.bounded_files import MOST_KEPT_BYTES, read_bytes
from pyharness.toolchain.extras import missing
from pyharness.toolchain.own_files import remove, write_bytes
from pyharness.toolchain.seal import seal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyharness.run.table_rows import TableRow

_CONTENT: Final = "content.sha256"
"""The file beside the tables that says what they hold; it is there only when they are whole."""

_MOST_BYTES: Final = 4 << 30


def write_tables(rows: Sequence[TableRow], directory: Path) -> None:
    """Write the rows of all tables below ``directory``, in place of what is there.

    Where it is the same already, nothing is written. Without pyarrow what an earlier run left is removed.

    Raises ToolError when they cannot be written.
    """
    by_table = {name: rows_of(kind, rows) for name, kind in TABLES.items()}
    digest, said = _digest(by_table), directory / _CONTENT
    whole = said.is_file() and all(any((directory / name).glob("*.parquet")) for name in TABLES)
    if whole and read_bytes(said, MOST_KEPT_BYTES) == _told(digest, directory):
        return
    try:
        remove(said)
        if "pyarrow" in missing("spark"):
            for path in _files(directory):
                remove(path)
            return
        from pyharness.run.table_schemas import write_rows  # noqa: PLC0415 - only what writes needs Arrow

        for name, kind in TABLES.items():
            write_rows(kind, by_table[name], directory / name)
        write_bytes(said, _told(digest, directory))
    except OSError as error:
        cause = error.strerror or error
        raise ToolError(f"the tables cannot be written: {cause}", where=str(directory)) from error


def _told(digest: str, directory: Path) -> bytes:
    """Return the digest of the rows with that of the files that hold them: a file that was damaged is written anew."""
    files = hashlib.sha256()
    for path in _files(directory):
        files.update(path.relative_to(directory).as_posix().encode())
        files.update(hashlib.sha256(read_bytes(path, _MOST_BYTES)).digest())
    return seal(_CONTENT, digest, files.hexdigest()).encode()


def _files(directory: Path) -> list[Path]:
    return sorted(path for name in TABLES for path in (directory / name).glob("*.parquet"))


def _digest(by_table: dict[str, list[TableRow]]) -> str:
    digest = hashlib.sha256(rows_version().encode())
    for name, rows in by_table.items():
        digest.update(json.dumps([name, [list(to_plain(row).values()) for row in rows]]).encode())
    return digest.hexdigest()
