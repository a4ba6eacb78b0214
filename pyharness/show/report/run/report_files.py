"""A run report as files: pages of HTML that fetch nothing, written atomically, never over a newer run's."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError, ToolError
from pyharness.base.toolchain.kept_texts import KeptTexts
from pyharness.base.toolchain.own_files import files_below, listed_files, own_directory, write_list
from pyharness.gate.plans.proof_lists import label
from pyharness.show.report.run.page_templates import ENVIRONMENT, own_file
from pyharness.show.report.run.report_contents import contents, utc
from pyharness.show.report.run.trace_links import trace_pages, write_traces
from pyharness.show.report.trace.trace_page import content_policy

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pyharness.gate.judge.plan_report import PlanReport
    from pyharness.show.report.run.report_contents import Contents, RunInfo


_MEANINGS: Final = {
    "pass": "Every model has the result that the plan expects, with all the evidence for it.",
    "incomplete": "Evidence is missing, so nothing is proved: this is not a pass.",
    "error": "A tool failed: this is not a pass.",
    "spec error": "A plan or a spec is wrong: this is not a pass.",
    "nonconformance": "Spec and implementation differ.",
    "violation": "A property that must hold is violated, or one that must be violated holds.",
}

_SECTIONS: Final = (
    ("claims", "Claims"),
    ("models", "Models"),
    ("mutants", "Mutants"),
    ("conformance", "Conformance"),
    ("examples", "Examples"),
    ("again", "Run it again"),
)


def run_page(run: Contents) -> str:
    """Write the report's page."""
    there = {
        "claims": run.claims,
        "models": run.specs or run.tables,
        "mutants": run.tables,
        "conformance": run.conformances or run.held,
        "examples": run.examples,
    }
    script, style = own_file("run.js"), own_file("run.css")
    return ENVIRONMENT.get_template("run.html.jinja").render(
        run=run,
        proof_label=label(),
        meaning=_MEANINGS.get(run.verdict, ""),
        sections=[(name, title) for name, title in _SECTIONS if there.get(name, True)],
        script=script,
        style=style,
        policy=content_policy(style, script),
    )


def unfinished_page(plan: str, began: str, message: str) -> str:
    """Write the page that stands in for the report while a run is under way, and stays when it breaks off."""
    style = own_file("run.css")
    return ENVIRONMENT.get_template("unfinished.html.jinja").render(
        plan=plan, began=began, message=message, style=style, policy=content_policy(style)
    )


INDEX: Final = "index.html"

PARTS: Final = "report-parts"
"""The directory beside the report that keeps the parts that take time to make."""


def write_report(report: PlanReport, info: RunInfo, directory: Path) -> Path:
    """Write a run's report in place of the one in ``directory``, and return its page.

    The same arguments give the same bytes. Pages of traces that have not changed since the last report are those of
    then: they are kept beside ``directory``.

    Raises ToolError when the report cannot be written; the files in ``directory`` then stay.
    """
    pages = trace_pages(report.all)
    page = run_page(contents(report, info, pages))
    kept = KeptTexts(directory.parent / PARTS, PARTS)

    def fill(draft: Path) -> None:
        write_traces(pages, draft, kept)
        _write(draft / INDEX, page)

    index = _replace(directory, fill)
    kept.forget_unused()
    return index


def write_unfinished(plan: str, began: datetime, message: str, directory: Path) -> Path:
    """Write a page which states that a run is not complete, in place of an earlier run's report.

    Raises ToolError when it cannot be written.
    """
    page = unfinished_page(plan, utc(began), message)
    return _replace(directory, lambda draft: _write(draft / INDEX, page))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _require_ours(directory: Path) -> None:
    """Require that there is nothing in a report that is to be replaced but what this tool wrote into it."""
    found, ours = files_below(directory), listed_files(directory.parent, directory.name)
    foreign = sorted(found - ours)
    if foreign or directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise SpecError(
            "this directory is to be replaced by the report, but holds what is not of a report: "
            f"{', '.join(foreign[:5]) or 'it is not a directory'}",
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
