"""A behaviour of ``Snapshots`` as it is seen through one id: one of ``ChandyLamport``, of which all else speaks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyharness.explain.behaviour_view import several
from pyharness.explain.state_values import entries, id_name, name_of, snapshot_ids
from pyharness.tla import Fn, function, record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyharness.explain.behaviour_view import View
    from pyharness.tla import Value
    from pyharness.tlc.trace import Trace

_BY_ID = ("recState", "recChan", "closed", "whiteInRed", "redInWhite")


def ids_of(trace: Trace) -> list[Value]:
    """Return the ids of the snapshots in a behaviour of ``Snapshots``; of any other, none."""
    return snapshot_ids(trace.steps[0].state) if trace.steps else []


def seen_through(trace: Trace, snapshot: Value) -> Trace:
    """Return a behaviour with the other ids hidden: their markers, and what is recorded for them. TLA+: CL."""
    return replace(
        trace, steps=tuple(replace(step, state=_seen(step.state, snapshot)) for step in trace.steps)
    )


def of_snapshot(snapshot: Any) -> str:
    """Name a snapshot."""
    return f"snapshot {id_name(snapshot)}"


def markers_ascend(view: View) -> str | None:
    """E11: the markers of an initiator come in the order of their numbers, and none is left out."""
    closed: dict[Any, Any] = view.entries("closed")
    for channel, queue in view.queues().items():
        accepted: list[Any] = sorted(n for n in closed if channel in closed[n])
        inside: list[Any] = [
            element["id"] for element in queue if isinstance(element, Fn) and "id" in element
        ]
        for initiator in sorted({n[0] for n in (*accepted, *inside)}):
            numbers = [n[1] for n in (*accepted, *inside) if n[0] == initiator]
            if numbers != list(range(1, len(numbers) + 1)):
                return (
                    f"after step {view.number} the markers of {name_of(initiator)} on {view.channel(channel)} are "
                    f"{', '.join(map(str, numbers))}, and not each once in order"
                )
    return None


def one_at_a_time(view: View) -> str | None:
    """E16: where snapshots do not overlap, of two that were begun one is complete; elsewhere nothing is asked."""
    recorded: dict[Any, Any] = view.entries("recState")
    closed: dict[Any, Any] = view.entries("closed")
    everyone, channels = set(view.entries("state")), set(view.queues())
    begun = [n for n in sorted(recorded) if entries(recorded[n])]
    open_ = [n for n in begun if set(entries(recorded[n])) != everyone or set(closed[n]) != channels]
    names = several([of_snapshot(n) for n in open_])
    return f"after step {view.number} {names} were begun, and none is complete" if len(open_) > 1 else None


def strangers(view: View) -> str | None:
    """Say what in a channel is of no snapshot that there is."""
    ids = view.entries("recState")
    for channel, queue in view.queues().items():
        for element in queue:
            red: Any = element.get("red", frozenset()) if isinstance(element, Fn) else frozenset()
            where = (
                f"after step {view.number} a {'message' if red else 'marker'} in {view.channel(channel)} is"
            )
            if unknown := sorted(red - set(ids)):
                return f"{where} red for {several([of_snapshot(n) for n in unknown])}: none"
            if isinstance(element, Fn) and "id" in element and element["id"] not in ids:
                return f"{where} of {of_snapshot(element['id'])}: none"
    return None


def _seen(state: Fn, snapshot: Value) -> Fn:
    one: dict[Value, Value] = {name: entries(state[name])[snapshot] for name in _BY_ID}
    queues = entries(state["chan"])
    closed: Any = one["closed"]
    sent: dict[Value, Value] = {
        channel: sum(element.get("id") == snapshot for element in queue) + (channel in closed)  # type: ignore[union-attr]
        for channel, queue in queues.items()
    }
    chan = function((channel, tuple(_through(queue, snapshot))) for channel, queue in queues.items())  # type: ignore[arg-type]
    seen: dict[Any, Value] = {**dict(state.items()), **one, "chan": chan, "markers": function(sent.items())}
    return Fn(sorted(seen.items()))


def _through(queue: Sequence[Fn], snapshot: Value) -> Iterator[Fn]:
    for element in queue:
        if "msg" in element:
            red: Any = element["red"]
            yield record(msg=element["msg"], colour="red" if snapshot in red else "white")
        elif element["id"] == snapshot:
            yield record(control="marker")
