"""Write a run report's files: completely, or not at all, and never one that is older than the run it stands for."""

from __future__ import annotations

import re
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError, ToolError
from pyharness.report.run.charts import MISSING, bundle, can_draw, charts
from pyharness.report.run.earlier_runs import past_runs
from pyharness.report.run.report_contents import contents, utc
from pyharness.report.run.report_pages import charts_page, run_page, unfinished_page
from pyharness.report.run.trace_links import trace_pages, write_traces
from pyharness.run.out_lock import LOCK
from pyharness.toolchain.kept_texts import KeptTexts
from pyharness.toolchain.own_files import files_below, listed_files, own_directory, write_list

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from pyharness.judge.plan_report import PlanReport
    from pyharness.report.run.report_contents import RunInfo
    from pyharness.run.table_rows import HistoryRow

INDEX: Final = "index.html"

_NAMES: Final = re.compile(r"(index|charts)\.html|traces/[A-Za-z0-9_-]+\.html")

PARTS: Final = "report-parts"
"""The directory beside the report that keeps what takes time to make."""


def write_report(
    report: PlanReport,
    history: Sequence[HistoryRow],
    info: RunInfo,
    directory: Path,
    notes: Sequence[str] = (),
) -> Path:
    """Write a run's report in place of the one in ``directory``, and return its page.

    ``history`` has the rows of the last runs, with this one's (:func:`pyharness.judge.run_history.read_history`);
    ``notes`` are sentences that are shown under the verdict. The same arguments give the same bytes. Pages of traces
    that have not changed since the last report are those of then: they are kept beside ``directory``.

    Raises ToolError when the report cannot be written; what is in ``directory`` then stays.
    """
    pages = trace_pages(report.models, report.specs)
    drawn = charts(report, past_runs(history))
    said = notes if can_draw() else (*notes, MISSING)
    page = run_page(contents(report, history, info, pages), drawn, said)
    kept = KeptTexts(directory.parent / PARTS, PARTS)

    def fill(draft: Path) -> None:
        write_traces(pages, draft, kept)
        if drawn:
            script = kept.text(("vl-convert", version("vl-convert-python")), bundle)
            _write(draft / "charts.html", charts_page(report.plan.name, drawn, script))
        _write(draft / INDEX, page)

    index = _replace(directory, fill)
    kept.forget_unused()
    return index


def write_unfinished(plan: str, began: datetime, says: str, directory: Path) -> Path:
    """Write a page that says that a run has not come to its end, in place of an earlier run's report.

    Raises ToolError when it cannot be written.
    """
    page = unfinished_page(plan, utc(began), says)
    return _replace(directory, lambda draft: _write(draft / INDEX, page))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _require_ours(directory: Path) -> None:
    """Require that there is nothing in a report that is to be replaced but what this tool wrote into it."""
    found, ours = files_below(directory), listed_files(directory.parent, directory.name)
    if not ours and (directory.parent / LOCK).is_file():  # an older version made no list
        ours = frozenset(filter(_NAMES.fullmatch, found))
    foreign = sorted(found - ours)
    if foreign or directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise SpecError(
            "this directory is to be replaced by the report, but holds what is not of a report: "
            f"{', '.join(foreign[:5]) or 'it is no directory'}",
            where=str(directory),
            hint="move that away, or name another directory by --out",
        )


def _replace(directory: Path, fill: Callable[[Path], None]) -> Path:
    """Fill a new directory, and put it where ``directory`` was."""
    try:
        own_directory(directory.parent)
        _require_ours(directory)
        draft = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
        try:
            fill(draft)
            draft.chmod(0o755)
            _require_ours(directory)
            if directory.exists():
                shutil.rmtree(directory)
            write_list(directory.parent, files_below(draft), directory.name)
            draft.rename(directory)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise ToolError(f"the report cannot be written: {error.strerror}", where=str(directory)) from error
    return directory / INDEX
