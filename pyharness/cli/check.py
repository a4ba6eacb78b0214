"""``pyharness check``: run a plan, and say what it came to."""

from __future__ import annotations

import fnmatch
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from pyharness.cli.summary import print_summary, to_document
from pyharness.errors import SpecError
from pyharness.pipeline.places import ROOT, SPECS, find_plan, find_tools
from pyharness.pipeline.plan import Plan, read_plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.status import Status

__all__ = ["check", "progress"]


@click.command()
@click.argument("plan", default="quick")
@click.option("--only", metavar="GLOB", help="Only the models whose name matches.")
@click.option("--out", type=click.Path(path_type=Path), help="Where results go; default build/PLAN.")
@click.option(
    "--specs", type=click.Path(path_type=Path, exists=True), default=SPECS, help="The modules' directory."
)
@click.option("--fresh", is_flag=True, help="Take nothing over from an earlier run.")
@click.option("--master", metavar="URL", help="A Spark cluster instead of this machine.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document instead of the summary.")
@click.pass_context
def check(
    context: click.Context,
    plan: str,
    *,
    only: str | None,
    out: Path | None,
    specs: Path,
    fresh: bool,
    master: str | None,
    as_json: bool,
) -> None:
    """Model-check PLAN (quick, full or a file), replay its traces on Python, and judge every model.

    Exits with 0 if every model came to what the plan expects, with 1 at a violation or nonconformance, 2 if plan or
    spec is wrong, 3 if evidence is missing (killed, timed out, pins differ), 4 if a tool failed.
    """
    from pyharness.pipeline.session import spark_session  # noqa: PLC0415 - only a run needs Spark
    from pyharness.pipeline.stages import run_plan  # noqa: PLC0415

    chosen = _choose(read_plan(find_plan(plan), specs), only)
    tools = find_tools(specs)
    began = time.monotonic()
    with progress() as notes, spark_session(master) as spark:
        report = run_plan(
            chosen, tools, spark, out or ROOT / "build" / chosen.name, fresh=fresh, progress=notes
        )
    seconds = time.monotonic() - began
    if as_json:
        click.echo(to_document(report, seconds))
    else:
        print_summary(report, seconds)
    context.exit(report.verdict.exit_code)


def _choose(plan: Plan, only: str | None) -> Plan:
    if only is None:
        return plan
    models = tuple(model for model in plan.models if fnmatch.fnmatchcase(model.name, only))
    if not models:
        names = ", ".join(model.name for model in plan.models)
        raise SpecError(f"no model matches {only!r}, so nothing would be checked", hint=f"there are {names}")
    return replace(plan, models=models, examples=(), whole=False)


@contextmanager
def progress() -> Iterator[Path]:
    """Give a directory for notes of running jobs, and show the last of them on a terminal; stay quiet elsewhere."""
    with tempfile.TemporaryDirectory(prefix="pyharness-progress-") as notes:
        if not sys.stderr.isatty():
            yield Path(notes)
            return
        with Console(stderr=True).status("starting Spark") as status, _following(Path(notes), status):
            yield Path(notes)


@contextmanager
def _following(directory: Path, status: Status) -> Iterator[None]:
    stop = threading.Event()
    began = time.monotonic()

    def follow() -> None:
        while not stop.wait(1):
            notes = sorted(directory.iterdir(), key=lambda path: path.stat().st_mtime)[-3:]
            said = "; ".join(f"{path.name}: {path.read_text(encoding='utf-8')}" for path in notes)
            status.update(f"{time.monotonic() - began:.0f} s  {said or 'starting Spark'}")

    watcher = threading.Thread(target=follow, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()
