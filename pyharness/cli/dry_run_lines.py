"""``pyharness check PLAN --dry-run``: the jobs that would run, with why."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from pyharness.cli.plan_run import choose
from pyharness.cli.results_place import out_of
from pyharness.plan.plan import read_plan
from pyharness.run.machine_tools import find_tools
from pyharness.run.store_uri import StoreUri
from pyharness.toolchain.spec_files import find_plan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyharness.pipeline.dry_run import WaitingJob

_FEW: Final = 3
"""So many reasons are told of a job; the JSON document has all."""


def dry_run_lines(
    plan: str,
    *,
    as_json: bool,
    only: tuple[str, ...],
    out: Path | StoreUri | None,
    specs: Path,
    fresh: bool,
    **_: Any,
) -> Iterator[str]:
    """Yield what is printed: a line for each job that would run, and one of how many results are kept.

    Raises SpecError if plan or spec is wrong, ToolError if Java or TLC is missing.
    """
    from pyharness.pipeline.dry_run import dry_run  # noqa: PLC0415 - others start sooner without it

    if isinstance(out, StoreUri):
        raise click.UsageError("--dry-run looks at results in a directory, not in a store")
    chosen = choose(read_plan(find_plan(plan, specs), specs), only)
    found = dry_run(chosen, find_tools(specs), out_of(plan, out), fresh=fresh)
    if as_json:
        document = {"plan": chosen.name, "kept": found.kept, "traces_of": found.traces_of}
        yield json.dumps({**document, "jobs": [asdict(job) for job in found.jobs]}, indent=2)
        return
    yield from map(_line, found.jobs)
    later = f"; then those for traces of {len(found.traces_of)} models that differ" if found.traces_of else ""
    yield f"{len(found.jobs)} jobs would run, {found.kept} results are kept{later}"


def _line(job: WaitingJob) -> str:
    graph = f" on {job.topology}" if job.topology else ""
    more = f" and {len(job.why) - _FEW} more" if len(job.why) > _FEW else ""
    return f"{job.kind:<8} {job.model}{graph}: {', '.join(job.why[:_FEW])}{more}"
