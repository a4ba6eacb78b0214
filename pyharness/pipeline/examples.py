"""The worked examples of the literature: taken by the implementation, checked by TLC, compared.

Each is a schedule in ``specs/examples``. An example agrees when TLC and the implementation take the same steps
through the same states and come to the published snapshot (of Checkpoints: the expected last state), or refuse the
same step.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import ConformanceError, IncompleteError, SpecError, ToolError
from pyharness.pipeline.schedule_model import AS_CLAIMED, MODULE, STEP, UNFINISHED, render_schedule
from pyharness.protocols import Message
from pyharness.replay import STATE_PROPERTIES, build_system, replay, violations
from pyharness.replay.checkpoint_schedule import CHECKPOINTS, checkpoint_system, unclaimed
from pyharness.replay.recording import FreeRecordingSystem, consistent, counts
from pyharness.replay.schedule import Schedule, Snapshot, load_schedule
from pyharness.tla import Fn, same, to_tla
from pyharness.tlc import Outcome, Step, TlcRun, Trace, run_tlc
from pyharness.toolchain import find_java, find_tla2tools

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.replay import Action, GlobalState, System
    from pyharness.tla import Value
    from pyharness.tlc import Result

__all__ = [
    "SPECS",
    "ExampleResult",
    "Refusal",
    "Taken",
    "check_example",
    "check_examples",
    "check_schedule",
    "example_names",
    "explain",
    "judge",
    "load_example",
    "system_of",
    "take",
]

SPECS: Final = Path(__file__).resolve().parents[2] / "specs"
"""The directory of the specs; the examples are in its ``examples``."""

TIMEOUT: Final = 60.0
"""Seconds that TLC gets for one example; it takes about one."""

_FREE_INVARIANTS: Final = ("TypeOK", "InTransit", "ConsistentConserves", "Consistent")


@dataclass(frozen=True, slots=True)
class Refusal:
    """The first step (from 1) that the implementation cannot take: its text, and what it can do instead."""

    step: int
    text: str
    enabled: tuple[str, ...]

    def __str__(self) -> str:
        return f"step {self.step}, {self.text}, is refused; enabled: {', '.join(self.enabled) or 'nothing'}"


@dataclass(frozen=True, slots=True)
class Taken:
    """A schedule taken by the implementation.

    ``path`` has its states from the initial one on, ``refusal`` the step that could not be taken, ``snapshot``
    what was recorded if that is complete, ``violated`` the properties violated on the way, with the step.
    """

    system: System
    path: tuple[GlobalState, ...]
    refusal: Refusal | None
    snapshot: Snapshot | None
    violated: tuple[tuple[str, int], ...]

    @property
    def occurs(self) -> bool:
        """Whether the snapshot is a state that the computation passed."""
        return self.snapshot in {_passed(self.system, state) for state in self.path}

    @property
    def ending(self) -> Mapping[str, Value]:
        """The spec's variables in the last state."""
        return self.system.variables(self.path[-1])


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """What checking an example came to.

    ``agreed`` if the implementation, TLC and the publication say the same; ``message`` says what, or where they
    differ. ``snapshot`` is the implementation's, and ``trace`` TLC's, with the schedule's actions and without
    the variable that counts its steps; it is ``None`` for a schedule that is refused.
    """

    name: str
    agreed: bool
    snapshot: Snapshot | None
    trace: Trace | None
    message: str


def example_names(specs: Path = SPECS) -> tuple[str, ...]:
    """List the examples, sorted."""
    return tuple(sorted(path.stem for path in (specs / "examples").glob("*.toml")))


def load_example(name: str, specs: Path = SPECS) -> Schedule:
    """Load the example of this name. Raises SpecError when there is none, or its file is no schedule."""
    names = example_names(specs)
    if name not in names:
        raise SpecError(f"no example {name!r}", hint=f"there are {', '.join(names)}")
    path = specs / "examples" / f"{name}.toml"
    schedule = load_schedule(path)
    if schedule.name != name:
        raise SpecError(f"the name is {schedule.name!r}, unlike the file's", where=f"{path}, name")
    return schedule


def system_of(schedule: Schedule) -> System:
    """Compose the implementation that the schedule is for."""
    if schedule.protocol == FreeRecordingSystem.protocol:
        return FreeRecordingSystem(schedule.topology, schedule.application)
    if schedule.protocol == CHECKPOINTS:
        return checkpoint_system(schedule.topology, schedule.constants)
    return build_system(schedule.protocol, schedule.topology, schedule.application)


def take(schedule: Schedule, system: System | None = None) -> Taken:
    """Take the steps of ``schedule`` with the implementation, or with another ``system``, as far as they go.

    Raises SpecError for a step that can be taken in two ways.
    """
    system = system or system_of(schedule)
    path = [next(system.initial())]
    violated: list[tuple[str, int]] = []
    refusal = None
    for number, step in enumerate(schedule.steps, start=1):
        enabled = list(system.actions(path[-1]))
        after = {a.after for a in enabled if (a.name, _detail(schedule, a)) == (step.action, step.detail)}
        if len(after) > 1:
            raise SpecError("this step can be taken in two ways", where=f"step {number}, {step.text}")
        if not after:
            names = sorted({f"{a.name} {_detail(schedule, a).replace(',', '')}".strip() for a in enabled})
            refusal = Refusal(number, step.text, tuple(names))
            break
        path.append(after.pop())
        violated += [(name, number) for name in _violations(system, path[-2], path[-1])]
    complete = refusal is None and system.complete(path[-1])
    return Taken(
        system, tuple(path), refusal, _recorded(system, path[-1]) if complete else None, tuple(violated)
    )


def judge(schedule: Schedule, taken: Taken) -> str | None:
    """Say in what the implementation differs from the publication; ``None`` if in nothing."""
    if taken.refusal is not None:
        refused = taken.refusal.step == schedule.rejected_at
        return None if refused else str(taken.refusal)
    if schedule.rejected_at is not None:
        return f"every step was taken, but step {schedule.rejected_at} is to be refused"
    if schedule.protocol == CHECKPOINTS:
        return _judge_ending(schedule, taken)
    if taken.snapshot is None:
        return "the steps are over, and the snapshot is not complete"
    if taken.snapshot != schedule.expected:
        return f"the snapshot is {' '.join(taken.snapshot.lines(schedule.topology))}"
    if schedule.occurs is not None and taken.occurs != schedule.occurs:
        return f"the snapshot is {'one' if taken.occurs else 'none'} of the states passed"
    wanted = () if schedule.violates is None else ((schedule.violates, len(schedule.steps)),)
    if taken.violated != wanted:
        found = ", ".join(f"{name} at step {number}" for name, number in taken.violated)
        return f"violated: {found or 'nothing'}"
    return None


def _judge_ending(schedule: Schedule, taken: Taken) -> str | None:
    differences = _differences(schedule, taken.ending)
    if differences:
        return differences[0]
    first: dict[str, int] = {}
    ignored = unclaimed(schedule.constants) - {schedule.violates}
    for name, number in taken.violated:
        if name not in ignored:
            first.setdefault(name, number)
    wanted = {} if schedule.violates is None else {schedule.violates: schedule.violated_at}
    if first != wanted:
        return f"violated: {', '.join(f'{name} at step {n}' for name, n in first.items()) or 'nothing'}"
    return None


def _differences(schedule: Schedule, ending: Mapping[Any, Value]) -> list[str]:
    """Say which variables end otherwise than expected."""
    return [
        f"{name} ends as {to_tla(ending[name])}, not as {to_tla(value)}"
        for name, value in schedule.ending.items()
        if not same(ending[name], value)
    ]


def explain(schedule: Schedule, taken: Taken) -> str:
    """Say in one line what the example shows: what was refused or violated and why, or that it is complete."""
    if taken.refusal is not None:
        return f"{taken.refusal}\nwhy: {schedule.why}"
    if isinstance(taken.system, FreeRecordingSystem):
        numbers = "; ".join(
            f"{schedule.topology.channel_name(channel)}: n={n} n'={n_channel} m={m} m'={m_channel}"
            for channel, (n, n_channel, m, m_channel) in counts(taken.system, taken.path[-1]).items()
        )
        why = f"\nwhy: {schedule.why}" if taken.violated else ""
        return f"{schedule.violates or 'nothing'} is violated: {numbers}{why}"
    if schedule.violated_at is not None and taken.violated:
        text = schedule.steps[schedule.violated_at - 1].text
        return f"{schedule.violates} is violated by step {schedule.violated_at}, {text}\nwhy: {schedule.why}"
    return "the snapshot is complete" if taken.snapshot else "the last state is as expected"


def check_examples(
    java: Path | None = None, jar: Path | None = None, *, specs: Path = SPECS, timeout: float = TIMEOUT
) -> list[ExampleResult]:
    """Check every example, as :func:`check_example` does."""
    return [check_example(name, java, jar, specs=specs, timeout=timeout) for name in example_names(specs)]


def check_example(
    name: str,
    java: Path | None = None,
    jar: Path | None = None,
    *,
    specs: Path = SPECS,
    timeout: float = TIMEOUT,
) -> ExampleResult:
    """Check the example of this name; see :func:`check_schedule`."""
    return check_schedule(load_example(name, specs), java, jar, specs=specs, timeout=timeout)


def check_schedule(
    schedule: Schedule,
    java: Path | None = None,
    jar: Path | None = None,
    *,
    specs: Path = SPECS,
    timeout: float = TIMEOUT,
) -> ExampleResult:
    """Take ``schedule`` with the implementation and with TLC, and compare both with what was published.

    ``java`` and ``jar`` are looked for when they are not given.

    Raises IncompleteError when TLC does not finish and ToolError when it fails; a disagreement does not raise.
    """
    taken = take(schedule)
    difference = judge(schedule, taken)
    if difference is not None:
        return ExampleResult(schedule.name, False, taken.snapshot, None, f"implementation: {difference}")
    result = _run(schedule, java, jar, specs, timeout)
    try:
        trace = None
        if schedule.rejected_at is None:
            trace = _finished(schedule, result, taken)
        else:
            _require_refusal(schedule, result)
    except ConformanceError as error:
        return ExampleResult(schedule.name, False, taken.snapshot, None, f"TLC: {error}")
    return ExampleResult(schedule.name, True, taken.snapshot, trace, explain(schedule, taken))


def _run(schedule: Schedule, java: Path | None, jar: Path | None, specs: Path, timeout: float) -> Result:
    """Run TLC on the schedule's model; give the result if it is one."""
    module, config = render_schedule(schedule, _invariants(schedule))
    with tempfile.TemporaryDirectory(prefix="pyharness-example-") as scratch:
        directory = Path(scratch)
        (directory / f"{MODULE}.tla").write_text(module, encoding="utf-8")
        (directory / f"{MODULE}.cfg").write_text(config, encoding="utf-8")
        result = run_tlc(
            TlcRun(
                java=java or find_java().executable,
                jar=jar or find_tla2tools().path,
                directory=directory,
                module=MODULE,
                libraries=(specs,),
                timeout=timeout,
                heap_mib=512,
            )
        )
    if result.outcome.is_spec_error or result.outcome.is_tool_failure:
        raise ToolError(result.error_text, where=f"example {schedule.name}")
    if not result.finished or result.outcome is Outcome.INCOMPLETE:
        raise IncompleteError(
            result.error_text or "TLC did not finish",
            where=f"example {schedule.name}",
            hint="give it more time",
        )
    return result


def _invariants(schedule: Schedule) -> tuple[str, ...]:
    if schedule.protocol == FreeRecordingSystem.protocol:
        return _FREE_INVARIANTS
    names = dict.fromkeys(("TypeOK", *STATE_PROPERTIES[schedule.protocol]))
    if schedule.protocol == CHECKPOINTS:
        left_out = unclaimed(schedule.constants) | {schedule.violates}
        return tuple(name for name in names if name not in left_out)
    return tuple(names)


def _require_refusal(schedule: Schedule, result: Result) -> None:
    """Require that TLC too took the steps before the refused one, and no more."""
    if result.outcome is not Outcome.SUCCESS:
        raise ConformanceError(f"{result.violated or result.outcome.value} is violated")
    if result.depth is None:
        raise IncompleteError("TLC does not tell how many steps it took", where=f"example {schedule.name}")
    if result.depth != schedule.rejected_at:
        raise ConformanceError(f"step {result.depth} is refused, not step {schedule.rejected_at}")


def _finished(schedule: Schedule, result: Result, taken: Taken) -> Trace:
    """Require TLC's trace to be the schedule, with the expected end and the states of the implementation."""
    wanted = UNFINISHED if schedule.protocol == CHECKPOINTS else schedule.violates or UNFINISHED
    if result.outcome is Outcome.SUCCESS:
        ended = result.depth == len(schedule.steps) + 1
        raise ConformanceError("the snapshot is not complete" if ended else f"step {result.depth} is refused")
    if result.violated == AS_CLAIMED:
        raise ConformanceError(f"{schedule.violates} is not violated first by step {schedule.violated_at}")
    if result.violated != wanted:
        raise ConformanceError(f"{result.violated or result.outcome.value} is violated, not {wanted}")
    if result.trace is None:
        raise IncompleteError("TLC printed no whole trace", where=f"example {schedule.name}")
    numbers = [step.state.get(STEP) for step in result.trace.steps]
    if numbers != list(range(1, len(schedule.steps) + 2)):
        raise ConformanceError(f"the trace counts its steps {numbers}")
    trace = _named(schedule, result.trace)
    if schedule.protocol == CHECKPOINTS:
        differences = _differences(schedule, trace.steps[-1].state)
        if differences:
            raise ConformanceError(differences[0])
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
        steps.append(Step(taken.action if taken else None, state, arguments=arguments))
    return Trace(tuple(steps))


def _require_snapshot(schedule: Schedule, state: Fn) -> None:
    expected = schedule.expected
    if expected is None:
        raise SpecError("there is no expected snapshot", where=f"example {schedule.name}")
    channels = Fn(zip(schedule.topology.channels, expected.channels, strict=True))  # type: ignore[arg-type]
    wanted: dict[str, Value] = {"recState": expected.states, "recChan": channels}  # type: ignore[dict-item]
    for variable, value in wanted.items():
        if not same(state[variable], value):
            raise ConformanceError(f"{variable} ends as {state[variable]}, not as {value}")


def _detail(schedule: Schedule, action: Action) -> str:
    """What an action is applied to, as a step says it: of Checkpoints without the record."""
    return action.detail.partition(",")[0] if schedule.protocol == CHECKPOINTS else action.detail


def _violations(system: System, before: GlobalState, after: GlobalState) -> tuple[str, ...]:
    if isinstance(system, FreeRecordingSystem):
        return () if consistent(system, after) else ("Consistent",)
    return violations(system, before, after)


def _recorded(system: System, state: GlobalState) -> Snapshot:
    states = system.recorded_states(state)
    return Snapshot(tuple(states[p] for p in sorted(states)), tuple(system.recorded_channels(state)))  # type: ignore[type-var]


def _passed(system: System, state: GlobalState) -> Snapshot:
    """Give the global state as the snapshot that would be it."""
    channels = (tuple(e.msg for e in queue if isinstance(e, Message)) for queue in state.queues)
    return Snapshot(tuple(own.app for own in state.local), tuple(channels))
