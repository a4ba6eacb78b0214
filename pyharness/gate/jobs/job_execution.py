"""Run one job: plain functions, without Spark. A domain outcome (a violation, a timeout) is a row, never an error."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pyharness.models.tlc_jobs import tlc_rows

if TYPE_CHECKING:
    from pyharness.models.job import Job
    from pyharness.models.machine_tools import Tools
    from pyharness.models.table_rows import TableRow
    from pyharness.tla.modules.library import Library


def run_job(job: Job, library: Library, tools: Tools) -> list[TableRow]:
    """Run a job in a private directory that is gone afterwards, and return the rows it yields.

    Raises ToolError only when the machine is at fault (Java missing, no space), so that it is worth a retry.
    """
    with tempfile.TemporaryDirectory(prefix="pyharness-") as directory:
        work = Path(directory)
        return list(tlc_rows(job, library, tools, work))
