"""The worked examples of the literature: taken by the implementation, checked by TLC, compared.

Each is a schedule in ``specs/examples``. An example agrees when TLC and the implementation take the same steps
through the same states and come to the published snapshot (of Checkpoints: the expected last state), or refuse the
same step.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import ConformanceError, IncompleteError, SpecError
from pyharness.machines.replay import replay
from pyharness.machines.replay.schedule import FORMS
from pyharness.machines.replay.worked_examples import differences, explain, judge, load_example, take
from pyharness.machines.systems import PROTOCOLS
from pyharness.models.render import Rendered
from pyharness.models.schedule_model import AS_CLAIMED, MODULE, STEP, UNFINISHED, render_schedule
from pyharness.models.table_rows import ExampleRow
from pyharness.models.text_run import run_texts
from pyharness.models.tlc_verdict import meaning, require_success
from pyharness.models.verdicts import Verdict
from pyharness.tla.tlc import Trace, TraceStep
from pyharness.tla.values import Fn, same

if TYPE_CHECKING:
    from pyharness.machines.replay.schedule import ExpectedSnapshot, Schedule
    from pyharness.machines.replay.worked_examples import Taken
    from pyharness.models.machine_tools import Tools
    from pyharness.tla.tlc import Result
    from pyharness.tla.values import Value

_TIMEOUT: Final = 60.0
"""Seconds that TLC gets for one example; it takes about one."""


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """The result of checking an example.

    ``agreed`` if the implementation, TLC and the publication agree; ``message`` gives the common result, or where
    they differ. ``snapshot`` is the implementation's, and ``trace`` TLC's, with the schedule's actions and without
    the variable that counts its steps; it is ``None`` for a schedule that is refused.
    """

    name: str
    agreed: bool
    snapshot: ExpectedSnapshot | None
    trace: Trace | None
    message: str


def check_example(name: str, tools: Tools) -> ExampleResult:
    """Check the example of this name; see :func:`check_schedule`."""
    return check_schedule(load_example(name, tools.specs[0]), tools)


def check_schedule(schedule: Schedule, tools: Tools, timeout: float = _TIMEOUT) -> ExampleResult:
    """Take ``schedule`` with the implementation and with TLC, and compare both with what was published.

    ``timeout`` bounds TLC's run, in seconds.

    Raises IncompleteError when TLC does not finish, ToolError when it fails and SpecError when it cannot read the
    schedule's model; a disagreement does not raise.
    """
    taken = take(schedule)
    difference = judge(schedule, taken)
    if difference is not None:
        return ExampleResult(schedule.name, False, taken.snapshot, None, f"implementation: {difference}")
    result = _run(schedule, tools, timeout)
    try:
        trace = None
        if schedule.rejected_at is None:
            trace = _finished(schedule, result, taken)
        else:
            _require_refusal(schedule, result)
    except ConformanceError as error:
        return ExampleResult(schedule.name, False, taken.snapshot, None, f"TLC: {error}")
    return ExampleResult(schedule.name, True, taken.snapshot, trace, explain(schedule, taken))


def _run(schedule: Schedule, tools: Tools, timeout: float) -> Result:
    """Run TLC on the schedule's model, and return its result if the run is conclusive."""
    module, config = render_schedule(schedule, _invariants(schedule))
    with tempfile.TemporaryDirectory(prefix="pyharness-example-") as scratch:
        rendered = Rendered(MODULE, module, config)
        result = run_texts(rendered, tools, Path(scratch), timeout=timeout, heap_mib=512)
    if meaning(result).verdict is not Verdict.VIOLATION or not result.finished:
        require_success(result, f"example {schedule.name}")
    return result


def _invariants(schedule: Schedule) -> tuple[str, ...]:
    spec, form = PROTOCOLS[schedule.protocol], FORMS[schedule.protocol]
    names = dict.fromkeys(("TypeOK", *form.invariants, *spec.state_properties))
    left_out = form.unclaimed(schedule.constants)
    if form.constants is not None and schedule.violates:
        left_out |= {schedule.violates}
    return tuple(name for name in names if name not in left_out)


def _require_refusal(schedule: Schedule, result: Result) -> None:
    """Require that TLC too took the steps before the refused one, and no more."""
    if meaning(result).verdict is not Verdict.PASS:
        raise ConformanceError(f"{result.violated or result.outcome.value} is violated")
    if result.depth is None:
        raise IncompleteError("TLC does not report how many steps it took", where=f"example {schedule.name}")
    if result.depth != schedule.rejected_at:
        raise ConformanceError(f"step {result.depth} is refused, not step {schedule.rejected_at}")


def _finished(schedule: Schedule, result: Result, taken: Taken) -> Trace:
    """Require TLC's trace to be the schedule, with the expected end and the states of the implementation."""
    wanted = UNFINISHED if FORMS[schedule.protocol].constants is not None else schedule.violates or UNFINISHED
    if meaning(result).verdict is Verdict.PASS:
        ended = result.depth == len(schedule.steps) + 1
        raise ConformanceError("the snapshot is not complete" if ended else f"step {result.depth} is refused")
    if result.violated == AS_CLAIMED:
        raise ConformanceError(f"{schedule.violates} is not violated first by step {schedule.violated_at}")
    if result.violated != wanted:
        raise ConformanceError(f"{result.violated or result.outcome.value} is violated, not {wanted}")
    if result.trace is None:
        raise IncompleteError("TLC printed no complete trace", where=f"example {schedule.name}")
    numbers = [step.state.get(STEP) for step in result.trace.steps]
    if numbers != list(range(1, len(schedule.steps) + 2)):
        raise ConformanceError(f"the trace counts its steps {numbers}")
    trace = _named(schedule, result.trace)
    if FORMS[schedule.protocol].constants is not None:
        differing = differences(schedule, trace.steps[-1].state)
        if differing:
            raise ConformanceError(differing[0])
    else:
        _require_snapshot(schedule, trace.steps[-1].state)
    replayed = replay(trace, taken.system, check_properties=False)
    if replayed.divergence is not None:
        raise ConformanceError(str(replayed.divergence))
    if replayed.path != taken.path:
        raise ConformanceError("the trace has the schedule's actions, but other states")
    return trace


def _named(schedule: Schedule, trace: Trace) -> Trace:
    """Name the steps of TLC's trace after the schedule's, and leave out the variable that counts them."""
    steps = []
    for taken, step in zip((None, *schedule.steps), trace.steps, strict=True):
        state = Fn((name, value) for name, value in step.state.items() if name != STEP)
        arguments = taken.detail or None if taken else None
        steps.append(TraceStep(taken.action if taken else None, state, arguments=arguments))
    return Trace(tuple(steps))


def _require_snapshot(schedule: Schedule, state: Fn) -> None:
    expected = schedule.expected
    if expected is None:
        raise SpecError(
            "there is no expected snapshot to compare with TLC's",
            where=f"example {schedule.name}",
            hint="add [expected]; without --check its states and channels are printed",
        )
    channels = Fn(zip(schedule.topology.channels, expected.channels, strict=True))  # type: ignore[arg-type]
    wanted: dict[str, Value] = {"recState": expected.states, "recChan": channels}  # type: ignore[dict-item]
    for variable, value in wanted.items():
        if not same(state[variable], value):
            raise ConformanceError(f"{variable} ends as {state[variable]}, not as {value}")


def example_row(name: str, tools: Tools) -> ExampleRow:
    """Check a worked example on the implementation and with TLC, and return its row of ``examples``."""
    try:
        result = check_example(name, tools)
    except IncompleteError as error:
        return ExampleRow(name, Verdict.INCOMPLETE.text, str(error))
    verdict = Verdict.PASS if result.agreed else Verdict.NONCONFORMANCE
    return ExampleRow(name, verdict.text, result.message)
