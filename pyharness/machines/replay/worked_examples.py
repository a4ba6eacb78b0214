"""The worked examples of the literature, taken by the implementation.

Each is a schedule in ``specs/examples``. An example agrees when TLC and the implementation take the same steps
through the same states and reach the published snapshot (of Checkpoints: the expected last state), or refuse the
same step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import SPECS, named_files
from pyharness.machines.replay.reorder import as_snapshot, recorded_snapshot
from pyharness.machines.replay.schedule import FORMS, ExpectedSnapshot, Schedule, load_schedule
from pyharness.machines.systems import Composition, violations
from pyharness.tla.values import same, to_tla

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyharness.machines.systems import Action, GlobalState, System
    from pyharness.tla.values import Value


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
    snapshot: ExpectedSnapshot | None
    violated: tuple[tuple[str, int], ...]

    @property
    def occurs(self) -> bool:
        """Whether the snapshot is a state that the computation passed."""
        return any(as_snapshot(state) == self.snapshot for state in self.path)

    @property
    def ending(self) -> Mapping[str, Value]:
        """The spec's variables in the last state."""
        return self.system.variables(self.path[-1])


def example_names(specs: Path = SPECS) -> tuple[str, ...]:
    """List the examples in ``specs`` and the shipped ones, sorted."""
    return tuple(named_files("examples", specs))


def load_example(name: str, specs: Path = SPECS) -> Schedule:
    """Load the example of this name. Raises SpecError when there is none, or its file is not a schedule."""
    files = named_files("examples", specs)
    if name not in files:
        raise SpecError.unknown("example", name, files)
    path = files[name]
    schedule = load_schedule(path)
    if schedule.name != name:
        raise SpecError(f"the name is {schedule.name!r}, unlike the file's", where=f"{path}, name")
    return schedule


def system_of(schedule: Schedule) -> System:
    """Compose the implementation that the schedule is for."""
    composition = Composition(schedule.protocol, schedule.application, constants=schedule.constants)
    return composition.on(schedule.topology)


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
        violated += [(name, number) for name in violations(system, path[-2], path[-1])]
    complete = refusal is None and system.complete(path[-1])
    return Taken(
        system,
        tuple(path),
        refusal,
        recorded_snapshot(system, path[-1]) if complete else None,
        tuple(violated),
    )


def judge(schedule: Schedule, taken: Taken) -> str | None:
    """Describe how the implementation differs from the publication; ``None`` if it does not."""
    if taken.refusal is not None:
        refused = taken.refusal.step == schedule.rejected_at
        return _judge_before_refusal(schedule, taken) if refused else str(taken.refusal)
    if schedule.rejected_at is not None:
        return f"every step was taken, but step {schedule.rejected_at} is to be refused"
    if FORMS[schedule.protocol].constants is not None:
        return _judge_ending(schedule, taken)
    if taken.snapshot is None:
        return "the steps are over, and the snapshot is not complete"
    if schedule.expected is not None and taken.snapshot != schedule.expected:
        return f"the snapshot is {' '.join(taken.snapshot.lines(schedule.topology))}"
    if schedule.occurs is not None and taken.occurs != schedule.occurs:
        return f"the snapshot is {'one' if taken.occurs else 'none'} of the states passed"
    wanted = () if schedule.violates is None else ((schedule.violates, len(schedule.steps)),)
    if taken.violated != wanted:
        found = ", ".join(f"{name} at step {number}" for name, number in taken.violated)
        return f"violated: {found or 'nothing'}"
    return None


def _judge_before_refusal(schedule: Schedule, taken: Taken) -> str | None:
    """Require that a refusal is because of the refused step alone: no step before it violates a property."""
    unclaimed = FORMS[schedule.protocol].unclaimed(schedule.constants)
    found = [f"{name} at step {number}" for name, number in taken.violated if name not in unclaimed]
    return f"violated before step {schedule.rejected_at}: {', '.join(found)}" if found else None


def _judge_ending(schedule: Schedule, taken: Taken) -> str | None:
    differing = differences(schedule, taken.ending)
    if differing:
        return differing[0]
    first: dict[str, int] = {}
    unclaimed = FORMS[schedule.protocol].unclaimed(schedule.constants)
    ignored = unclaimed - {schedule.violates}
    for name, number in taken.violated:
        if name not in ignored:
            first.setdefault(name, number)
    wanted = {} if schedule.violates is None else {schedule.violates: schedule.violated_at}
    if first != wanted:
        return f"violated: {', '.join(f'{name} at step {n}' for name, n in first.items()) or 'nothing'}"
    return None


def differences(schedule: Schedule, ending: Mapping[Any, Value]) -> list[str]:
    """Return a description of the variables whose values at the end differ from those expected."""
    return [
        f"{name} ends as {to_tla(ending[name])}, not as {to_tla(value)}"
        for name, value in schedule.ending.items()
        if not same(ending[name], value)
    ]


def explain(schedule: Schedule, taken: Taken) -> str:
    """Describe the result in one line: what was refused or violated and why, or that it is complete."""
    if taken.refusal is not None:
        return f"{taken.refusal}\nwhy: {schedule.why}"
    describe = FORMS[schedule.protocol].explain
    if describe is not None:
        why = f"\nwhy: {schedule.why}" if taken.violated else ""
        return f"{schedule.violates or 'nothing'} is violated: {describe(taken.system, taken.path[-1])}{why}"
    if schedule.violated_at is not None and taken.violated:
        text = schedule.steps[schedule.violated_at - 1].text
        return f"{schedule.violates} is violated by step {schedule.violated_at}, {text}\nwhy: {schedule.why}"
    return "the snapshot is complete" if taken.snapshot else "the last state is as expected"


def _detail(schedule: Schedule, action: Action) -> str:
    """Return a step's arguments as the step writes them: without the message where that is not named."""
    return (
        action.detail
        if FORMS[schedule.protocol].actions.get(action.name) in {"message", "checkpoint"}
        else action.detail.partition(",")[0]
    )
