"""A module that a plan names with its own configuration, checked: its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.base.errors import SpecError
from pyharness.models.check_rows import action_rows, checked_row, unread_row, witness_rows
from pyharness.models.checked_texts import asks_of
from pyharness.models.spec_check import Bounds, check_plain, counterexample_facts
from pyharness.models.table_rows import TraceRow
from pyharness.tla.tlc.itf import to_itf

if TYPE_CHECKING:
    from pyharness.gate.jobs.jobs import ModuleJob
    from pyharness.models.machine_tools import Tools
    from pyharness.models.table_rows import TableRow


def module_rows(job: ModuleJob, tools: Tools) -> list[TableRow]:
    """Check a module, and return the rows of its run, and one of ``traces`` if TLC shows a violation.

    What cannot be read is a row, too. Raises ToolError when Java or TLC cannot be run.
    """
    source, budget = job.model, job.model.budget
    try:
        model = source.read()
        bounds = Bounds(budget.seconds, budget.heap_mb, cpu_seconds=budget.cpu_seconds)
        checked = check_plain(model, tools, bounds, again=True)
    except SpecError as error:
        return [unread_row(job.id, job.name, error)]
    checked = checked.strictly() if source.strict else checked
    names = [f"{model.home(name)}.{name}" for name in model.checked]
    run = checked_row(
        job.id, job.name, 0, checked, evaluated=names, asks=asks_of(model, strict=source.strict)
    )
    rows: list[TableRow] = [run, *action_rows(job.id, 0, checked), *witness_rows(job.id, job.name, checked)]
    if run.violated and checked.result.trace is not None:
        itf = to_itf(checked.result.trace, counterexample_facts(model, checked))
        length = len(checked.result.trace.steps)
        rows.append(TraceRow(job.id, job.name, "counterexample", 0, "", length, run.violated, itf))
    return rows
