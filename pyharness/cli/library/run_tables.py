"""The tables of a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.extras import require_extra
from pyharness.show.report.formats.data_frames import frame


def read_table(name: str, out: str | Path = "build/quick") -> Any:
    """Read a table that ``pyharness check`` left in the directory ``out``, as a data frame.

    ``name`` is one of ``docs/reference/tables.md``.

    Raises SpecError if there is no such table, no run, or no pyarrow or pandas to read it.
    """
    require_extra("spark", "pyarrow")
    from pyarrow import parquet  # noqa: PLC0415 - only this needs Arrow

    from pyharness.gate.jobs.table_schemas import SCHEMAS  # noqa: PLC0415

    if name not in SCHEMAS:
        raise SpecError.unknown("table", name, SCHEMAS)
    path = Path(out) / "tables" / name
    if not path.is_dir():
        raise SpecError(
            "no such table", where=str(path), hint="run `pyharness check` first, or name its --out"
        )
    schema = SCHEMAS[name]
    return frame(parquet.read_table(path, schema=schema).to_pylist(), schema.names)
