"""A spec that a plan names with its own configuration, checked: what was found as a row, and what violates it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.base.errors import SpecError
from pyharness.models.checked_texts import asks_of
from pyharness.models.spec_check import Bounds, check_plain, counterexample_facts
from pyharness.models.table_rows import SpecRow, TraceRow
from pyharness.models.verdicts import Verdict
from pyharness.tla.tlc.itf import to_itf

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.gate.jobs.jobs import SpecJob
    from pyharness.models.machine_tools import Tools
    from pyharness.models.spec_check import CheckedSpec
    from pyharness.models.table_rows import TableRow
    from pyharness.tla.plain_models.plain_model import PlainModel


def spec_rows(job: SpecJob, tools: Tools, progress: Callable[[Any], None] | None = None) -> list[TableRow]:
    """Check a spec, and return its row of ``specs``, and one of ``traces`` if TLC shows what violates it.

    What cannot be read is a row, too. Raises ToolError when Java or TLC cannot be run.
    """
    source, budget = job.source, job.source.budget
    try:
        model = source.read()
        bounds = Bounds(budget.seconds, budget.heap_mb, cpu_seconds=budget.cpu_seconds)
        checked = check_plain(model, tools, bounds, progress, again=True)
    except SpecError as error:
        return [_unread(source.name, source.module.name, str(error))]
    return _rows(job, model, checked.strictly() if source.strict else checked)


def _unread(name: str, module: str, message: str) -> SpecRow:
    verdict = Verdict.SPEC_ERROR.text
    return SpecRow(
        name, module, "", verdict, message, None, "", None, None, None, None, None, (), (), (), (), (), ""
    )


def _rows(job: SpecJob, model: PlainModel, checked: CheckedSpec) -> list[TableRow]:
    result, violation = checked.result, checked.verdict is Verdict.VIOLATION
    violated = (checked.violated or result.outcome.value) if violation else None
    row = SpecRow(
        spec=job.name,
        module=model.path.name,
        configuration=model.config.where,
        verdict=checked.verdict.text,
        message=checked.reason,
        violated=violated,
        place=model.place_of(violated or ""),
        distinct=result.distinct,
        generated=result.generated,
        depth=result.depth,
        seconds=result.seconds,
        tlc=result.tlc_version,
        taken=tuple(each.name for each in checked.actions if each.taken),
        never_taken=tuple(f"{each.name} ({each.place})" for each in checked.never_taken),
        unreached=tuple(f"{each.of}: {each.formula}" for each in checked.unreached),
        notes=checked.notes,
        checked=tuple(f"{model.home(name)}.{name}" for name in model.checked),
        asks=asks_of(model, strict=job.source.strict),
    )
    if not violation or result.trace is None:
        return [row]
    itf = to_itf(result.trace, counterexample_facts(model, checked))
    return [
        row,
        TraceRow(job.id, job.name, "counterexample", 0, "", len(result.trace.steps), violated, itf),
    ]
