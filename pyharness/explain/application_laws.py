"""What is wrong with a global state that breaks its application's law: which item, task or record, and where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.explain.behaviour_view import several, times
from pyharness.explain.state_values import entries, show
from pyharness.protocols import Dataflow
from pyharness.tla import same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.explain.behaviour_view import View
    from pyharness.tla import Value

_Channels = dict[tuple["Value", ...], tuple["Value", ...]]


def law_broken(
    view: View, states: Mapping[Value, Value], channels: _Channels, *, recorded: bool, lost_only: bool = False
) -> str | None:
    """Say how a global state breaks the law of its application; ``None`` if it does not, or the law is not known.

    ``recorded`` says that the state is a snapshot, and not what is there now. ``lost_only`` takes the law with
    duplicates allowed, which only dataflows have.
    """
    if view.words.application == "Dataflow":
        return _records(view, states, channels, recorded=recorded, lost_only=lost_only)
    kind = {"Items": "item", "Tasks": "task"}.get(view.words.application)
    return _things(view, states, channels, recorded=recorded, kind=kind) if kind and not lost_only else None


def _things(
    view: View, states: Mapping[Value, Value], channels: _Channels, *, recorded: bool, kind: str
) -> str | None:
    begun = view.entries("state", view.trace.steps[0].state)
    names = sorted({name for local in begun.values() for name in _held(local, kind)}, key=str)
    for name in names:
        places = list(_places(view, name, states, channels, kind, recorded=recorded))
        if not places:
            state, channel = ("recorded state", "recorded channel") if recorded else ("state", "channel")
            return f"{kind} {show(name)} is in no {state} and in no {channel}"
        if len(places) > 1:
            return f"{kind} {show(name)} is there {times(len(places))}: {several(places)}"
    return None


def _held(local: Value, kind: str) -> list[Value]:
    """Return the items of a local state, or its tasks, with repetition, retired ones included."""
    if kind == "item":
        return list(local) if isinstance(local, frozenset) else []
    if not isinstance(local, tuple) or len(local) != 5:
        return []
    counts = [*entries(local[0]).items(), *entries(local[1]).items()]
    return [name for name, count in counts if isinstance(count, int) for _ in range(count)]


def _places(
    view: View, name: Value, states: Mapping[Value, Value], channels: _Channels, kind: str, *, recorded: bool
) -> Iterator[str]:
    state, channel = ("the recorded state of ", "the recorded channel ") if recorded else ("", "")
    for process, local in states.items():
        for held in _held(local, kind):
            if same(held, name):
                yield f"in {state}{view.process(process)}"
    for at, queue in channels.items():
        for message in queue:
            if same(message, name):
                yield f"in {channel}{view.channel(at)}"


def _records(
    view: View, states: Mapping[Value, Value], channels: _Channels, *, recorded: bool, lost_only: bool
) -> str | None:
    queues = [channels.get(channel, ()) for channel in sorted(view.queues())]
    ordered = [states[process] for process in sorted(states)]  # type: ignore[type-var]
    visits, expected = Dataflow(0).accounts(ordered, queues)
    for key, count in visits.items():
        should = expected[key]
        if count == should or (lost_only and count >= should):
            continue
        process, source, number = key
        said = _account(view.process(process), count, should, recorded=recorded)
        whose = f"the {'recorded ' if recorded else ''}offset of {view.process(source)}"
        return (
            f"record {number} of source {source} {said}: {whose} is {show(entries(ordered[source - 1])[1])}"
        )
    return None


def _account(process: str, count: int, should: int, *, recorded: bool) -> str:
    """Say of a record that it came, or will come, so often to a process, and not as often as it should."""
    where = "the recorded state of " if recorded else ""
    if not count:
        way = "in no recorded channel" if recorded else "on its way in no channel"
        return f"is lost: it is not folded in {where}{process} and {way}, though it counts as emitted"
    if not should:
        return (
            f"is folded {times(count)} in {where}{process}, or will be, though it still counts as to be "
            "emitted"
        )
    return (
        f"is folded {times(count)} in {where}{process}, counting what is on its way; {times(should)} is right"
    )
