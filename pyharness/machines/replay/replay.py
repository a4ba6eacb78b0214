"""Replay: compare a trace of the spec with an implementation, step by step; and decide whether an endless one is fair."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyharness.base.errors import SpecError
from pyharness.machines.systems import find_protocol, violations
from pyharness.tla.values import Fn, same
from pyharness.tla.values.print import to_tla

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.machines.systems.system import Action, GlobalState, System
    from pyharness.tla.tlc.trace import Trace
    from pyharness.tla.values import Value


def liveness_violations(system: System, path: Sequence[GlobalState], start: int) -> tuple[str, ...]:
    """Return the names of the liveness properties that a behaviour violates.

    The behaviour goes through ``path`` and then forever through ``path[start:]``; with ``start`` the last index
    it stays in its last state. One that is not fair violates nothing: it is not a behaviour of the system.
    """
    loop = path[start:]
    if not is_fair(system, loop):
        return ()
    known = find_protocol(system.protocol).liveness
    return tuple(name for name, holds in known.items() if not holds(system, path, loop))


def is_fair(system: System, loop: Sequence[GlobalState]) -> bool:
    """Return whether going through ``loop`` forever is weakly fair (E18): nothing is neglected."""
    return not neglected(system, loop)


def neglected(system: System, loop: Sequence[GlobalState]) -> frozenset[tuple[str, str]]:
    """Return the fair actions, with their places, that are possible in every state of the loop, and never taken.

    A disjunction is taken if one of its parts is, and possible in a state if some part is possible there.
    """
    left = set(system.fair_actions())
    for index, state in enumerate(loop):
        following = loop[(index + 1) % len(loop)]
        actions = [
            (system.disjunctions.get(action.name, action.name), action.place, action.after)
            for action in system.actions(state)
        ]
        left &= {(name, place) for name, place, _ in actions}
        left -= {(name, place) for name, place, after in actions if after == following}
        if not left:
            break
    return frozenset(left)


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first place where implementation and trace differ.

    ``step`` counts from 1, the initial state; ``action`` is the trace's; ``differences`` has, for the nearest
    action the implementation could take, each variable with the trace's value and the implementation's; and
    ``enabled`` names the actions it could take. ``note`` is a suggestion where only a name is wrong.
    """

    step: int
    action: str | None
    differences: tuple[tuple[str, str, str], ...]
    enabled: tuple[str, ...]
    note: str = ""

    def __str__(self) -> str:
        what = (
            f"cannot take {self.action or 'this step'}" if self.step > 1 else "does not begin in this state"
        )
        lines = [f"step {self.step}: the implementation {what}"]
        lines += [
            f"  {name}: the trace has {want}, the implementation {got}"
            for name, want, got in self.differences
        ]
        if self.step > 1:
            lines.append(f"  enabled: {', '.join(self.enabled) or 'nothing'}")
        lines += [f"  {self.note}"] if self.note else []
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of a replay.

    ``steps`` states of the trace were matched; ``agreed`` if all; else ``divergence`` is the first place that differs.
    ``violated_at`` has each property that the implementation violated on the way, with the step (from 1).
    ``path`` is the implementation's own states. It is true if all agreed, even if some violate a property.
    """

    steps: int
    divergence: Divergence | None
    violated_at: Mapping[str, int]
    path: tuple[GlobalState, ...] = field(repr=False)

    def __bool__(self) -> bool:
        return self.agreed

    @property
    def agreed(self) -> bool:
        """Whether every step was taken with equal states."""
        return self.divergence is None

    @property
    def violated(self) -> tuple[str, ...]:
        """The names of the violated properties."""
        return tuple(self.violated_at)


def replay(trace: Trace, system: System, *, check_properties: bool = True) -> Replay:
    """Take every step of ``trace`` with the implementation in ``system``.

    At each step an action of that name (any, where the trace gives none) must lead to a state equal in every
    variable the two have; variables of the trace that the implementation does not have are an error. A loop is
    accepted only if the last state steps to the state that the trace returns to.

    Raises SpecError for a trace without states or of another topology.
    """
    if not trace.steps:
        raise SpecError("the trace has no states", hint="was it cut off?")
    path: list[GlobalState] = []
    violated: dict[str, int] = {}
    for number, step in enumerate(trace.steps, start=1):
        options = _options(system, path[-1] if path else None, step.action)
        wanted = step.state
        found = next((state for _, state in options if _equal(system.variables(state), wanted)), None)
        if found is None and path and step.action is None and _equal(system.variables(path[-1]), wanted):
            found = path[-1]
        if found is None:
            return Replay(
                number - 1, _divergence(system, path, number, step.action, wanted), violated, tuple(path)
            )
        if check_properties:
            for name in violations(system, path[-1] if path else None, found):
                violated.setdefault(name, number)
        path.append(found)
    if trace.lasso is not None:
        back = trace.steps[trace.lasso].state
        if not any(action.after == path[trace.lasso] for action in system.actions(path[-1])):
            return Replay(
                len(path), _divergence(system, path, len(path) + 1, None, back), violated, tuple(path)
            )
    if check_properties and (trace.stuttering or trace.lasso is not None):
        start = len(path) - 1 if trace.lasso is None else trace.lasso
        for name in liveness_violations(system, path, start):
            violated.setdefault(name, len(path))
    return Replay(len(path), None, violated, tuple(path))


def _options(
    system: System, state: GlobalState | None, action: str | None
) -> list[tuple[Action | None, GlobalState]]:
    if state is None:
        return [(None, first) for first in system.initial()]
    return [(a, a.after) for a in system.actions(state) if action is None or a.name == action]


def _equal(ours: Mapping[str, Value], theirs: Mapping[Value, Value]) -> bool:
    if set(ours) != set(theirs):
        lacking = sorted(set(ours) - {str(name) for name in theirs})
        more = sorted({str(name) for name in theirs} - set(ours))
        differences = [f"only the trace has {', '.join(more)}"] if more else []
        differences += [f"only the implementation has {', '.join(lacking)}"] if lacking else []
        raise SpecError(
            f"the trace and the implementation differ in their variables: {'; '.join(differences)}",
            hint="is it a trace of another spec? Name that by --protocol",
        )
    return all(same(value, theirs[name]) for name, value in ours.items())


def _divergence(
    system: System, path: list[GlobalState], number: int, action: str | None, wanted: Mapping[Value, Value]
) -> Divergence:
    state = path[-1] if path else None
    options = _options(system, state, action) or _options(system, state, None)
    rows = [_differences(system, system.variables(option), wanted) for _, option in options]
    nearest = min(rows, key=len, default=())
    enabled = tuple(sorted({str(a) for a in system.actions(state)})) if state is not None else ()
    return Divergence(number, action, nearest, enabled, _note(system, state, action, wanted))


def _note(
    system: System, state: GlobalState | None, action: str | None, wanted: Mapping[Value, Value]
) -> str:
    """Describe a step whose state is right, and whose action's name is not."""
    if state is None or action is None:
        return ""
    if _equal(system.variables(state), wanted):
        return f"nothing changed in this step: if nothing was done, leave out its action, {action}"
    meant = sorted(
        str(each) for each in system.actions(state) if _equal(system.variables(each.after), wanted)
    )
    return f"the state is right, the action is not: it is that of {meant[0]}" if meant else ""


def _differences(
    system: System, ours: Mapping[str, Value], theirs: Mapping[Value, Value]
) -> tuple[tuple[str, str, str], ...]:
    """Return the differences of two states, by variable, or by channel or process of a variable that maps these."""
    channels: dict[Value, str] = {c: system.topology.channel_name(c) for c in system.channels}
    processes: dict[Value, str] = {
        number: system.topology.process_name(number) for number in range(1, system.topology.processes + 1)
    }
    found: list[tuple[str, str, str]] = []
    for name, own in ours.items():
        other = theirs[name]
        if same(own, other):
            continue
        parts, others = _parts(own), _parts(other)
        names = channels if set(parts) <= set(channels) else processes
        if not parts or set(parts) != set(others) or not set(parts) <= set(names):
            found.append((name, to_tla(other), to_tla(own)))
            continue
        found += [
            (f"{name}[{names[key]}]", to_tla(others[key]), to_tla(part))
            for key, part in parts.items()
            if not same(part, others[key])
        ]
    return tuple(found)


def _parts(value: Value) -> dict[Value, Value]:
    if isinstance(value, Fn):
        return dict(value.items())
    return dict(enumerate(value, start=1)) if isinstance(value, tuple) else {}
