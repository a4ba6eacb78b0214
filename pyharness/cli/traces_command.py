"""``pyharness plan traces``: regenerate the exported traces."""

from __future__ import annotations

import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.machine_size import tasks_at_once
from pyharness.base.toolchain.own_files import remove, write_bytes, write_text
from pyharness.base.toolchain.spec_files import find_plan
from pyharness.cli.shared_options import DIRECTORY, specs_option
from pyharness.gate.jobs.example_check import check_example
from pyharness.gate.jobs.job_execution import run_job
from pyharness.gate.jobs.job_store import finished_rows
from pyharness.gate.jobs.jobs import ModuleJob, module_jobs, plan_jobs
from pyharness.gate.jobs.module_rows import module_rows
from pyharness.gate.plans.plan import Plan, read_plan
from pyharness.machines.replay.worked_examples import example_names
from pyharness.machines.systems import implementation_of
from pyharness.models.job import Job
from pyharness.models.machine_tools import find_tools
from pyharness.models.table_rows import TraceRow, rows_of
from pyharness.show.report.formats.export_formats import written
from pyharness.tla.tlc import read_trace
from pyharness.tla.tlc.itf import from_itf, to_itf

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pyharness.models.machine_tools import Tools
    from pyharness.models.table_rows import TableRow
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Trace

_ITF: Final = ".itf.json"
_ENDINGS: Final = (_ITF, ".html", ".txt")
"""The files of a trace."""

_README: Final = "README.md"
"""The file that is kept in the directory of traces."""


@click.command()
@click.argument("plan", default="quick")
@click.option(
    "--out", type=DIRECTORY, default=Path("traces"), help="The directory to write; default ./traces."
)
@specs_option
def traces(plan: str, out: Path, *, specs: Path) -> None:
    """Write PLAN's shortest counterexamples and each worked example, as ITF and as text; the examples as pages, too.

    A counterexample is there for each mutant, and for each model that is to be violated. A worked example
    that is refused, as it should be, has a text with the step and the reason.

    The same specs and the same TLC give the same bytes, so a counterexample that a run of PLAN with this content has
    left in build/PLAN is taken from there. Exits with 3 if a mutant has no counterexample or an
    example does not come out as published.
    """
    _require_replaceable(out, example_names(specs))
    with tempfile.TemporaryDirectory(prefix="pyharness-traces-") as scratch:
        fresh = Path(scratch)
        _regenerate(fresh, read_plan(find_plan(plan, specs), specs), specs)
        _put(fresh, out, example_names(specs))
    click.echo(f"{len(list(out.glob('*.itf.json')))} traces in {out.name}/")


def _require_replaceable(out: Path, examples: Collection[str]) -> None:
    """Require that a directory has only files that this command writes.

    That is the texts and pages of the traces that lie there, the texts of ``examples``, and README.md.

    Raises SpecError, naming the first file that is something else.
    """
    found = sorted(out.glob("*"))
    names = {path.name.removesuffix(_ITF) for path in found if path.name.endswith(_ITF)}
    ours = {f"{name}{ending}" for name in names for ending in _ENDINGS} | {f"{name}.txt" for name in examples}
    ours.add(_README)
    wrong = [path for path in found if path.is_symlink() or not path.is_file() or path.name not in ours]
    if wrong or (found and not names):
        raise SpecError(
            "this is not a trace, and its directory would be replaced",
            where=str([*wrong, *found][0]),
            hint="move it away, or name a directory of traces, or a new one, by --out",
        )


def _put(fresh: Path, out: Path, examples: Collection[str]) -> None:
    """Put the new files in place, and remove the pages of traces that are not made any more; new files of others stay.

    Raises SpecError, as before the run, if somebody has put something else there meanwhile.
    """
    _require_replaceable(out, examples)
    for path in sorted(fresh.iterdir()):
        write_bytes(out / path.name, path.read_bytes())
    for page in sorted(out.glob("*.html")):
        if not (fresh / page.name).exists() and (fresh / f"{page.stem}{_ITF}").exists():
            remove(page)
    for old in sorted(out.glob(f"*{_ITF}")):
        if not (fresh / old.name).exists() and _is_made(old):
            for ending in _ENDINGS:
                remove(out / f"{old.name.removesuffix(_ITF)}{ending}")


def _is_made(path: Path) -> bool:
    """Return whether a trace is one that this command wrote: by its title."""
    _, meta = read_trace(path)
    return re.search(r": \w+ is violated$|^Worked example ", str(meta.get("title"))) is not None


def _regenerate(fresh: Path, read: Plan, specs: Path) -> None:
    tools, left = find_tools(specs), Path("build", read.name)
    own = (job for job in plan_jobs(read, tools) if job.kind == "check")
    jobs: dict[str, Job | ModuleJob] = {job.name: job for job in own}
    jobs |= {job.name: job for job in module_jobs(read.modules, read.library, tools)}
    violated: dict[str, Job | ModuleJob] = {}
    for model in read.all:
        shown = not model.topologies or implementation_of(model.spec) == model.spec
        if model.expect == "violation" and shown:
            violated.setdefault(model.mutant or model.name, jobs[model.name])
    with ThreadPoolExecutor(tasks_at_once()) as pool:
        traces = pool.map(lambda job: _counterexample(job, read.library, tools, left), violated.values())
        for (name, job), (trace, meta) in zip(violated.items(), traces, strict=True):
            model = job.model
            what = f"{name}, a mutant of {model.spec}" if model.mutant else f"{model.spec}, model {name}"
            of_graphs = {"title": f"{what}: {model.caught_by[0]} is violated"}
            of_module = {"title": f"{meta['title']} is violated"}
            _write(fresh, name, trace, {**meta, **(of_graphs if model.topologies else of_module)})
    for name in example_names(specs):
        result = check_example(name, tools)
        if not result.agreed:
            raise IncompleteError(f"the example does not come out as published: {result.message}", where=name)
        title = f"Worked example {name}"
        if result.trace is None:
            write_text(fresh / f"{name}.txt", f"{title}\n\n{result.message}\n")
        else:
            _write(fresh, name, result.trace, {"title": title, "example": name}, page=True)


def _counterexample(
    job: Job | ModuleJob, library: Library, tools: Tools, results: Path
) -> tuple[Trace, dict[str, Any]]:
    """Return the counterexample to the first property that is to catch a model, and its facts.

    It is one that a run has left, or else of a run of its own. Raises IncompleteError without one.
    """
    wanted = job.model.caught_by[0]
    found = _violating(finished_rows(results / "jobs" / f"{job.id}.json") or (), wanted)
    if found is None and isinstance(job, ModuleJob):
        found = _violating(module_rows(job, tools), wanted)
    elif found is None and isinstance(job, Job):
        model = job.model
        alone = replace(
            model,
            invariants=tuple(name for name in model.invariants if name == wanted),
            properties=tuple(name for name in model.properties if name == wanted),
        )
        found = _violating(run_job(replace(job, model=alone), library, tools), wanted)
    if found is None:
        raise IncompleteError("no counterexample", where=job.name)
    return from_itf(found.itf, where=job.name)


def _violating(rows: Iterable[TableRow], name: str) -> TraceRow | None:
    return next((row for row in rows_of(TraceRow, rows) if row.violated == name), None)


def _write(directory: Path, name: str, trace: Trace, meta: Mapping[str, Any], *, page: bool = False) -> None:
    """Write a trace without the places of its actions, which move with every edit of a specification."""
    trace = replace(trace, steps=tuple(replace(step, location=None) for step in trace.steps))
    write_text(directory / f"{name}{_ITF}", to_itf(trace, meta))
    if page:
        write_text(directory / f"{name}.html", written("html", trace, meta))
    write_text(directory / f"{name}.txt", written("text", trace, meta))
