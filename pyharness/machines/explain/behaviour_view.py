"""A view of a behaviour that violates a property, for the functions that explain why, also through one snapshot's id.

No property is known here. Variables are those of the specs; one that is missing, as in a trace of another tool, is
empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyharness.machines.explain.readable_values import Wording
from pyharness.machines.explain.state_values import (
    channel_name,
    entries,
    id_name,
    members,
    name_of,
    snapshot_ids,
)
from pyharness.tla.values import Fn, Value, function, record, same

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyharness.tla.tlc.trace import Trace


@dataclass(frozen=True, slots=True)
class Move:
    """A step's effect on a channel: the element taken and its position (from 0), and the elements put at the end."""

    channel: tuple[Value, ...]
    taken: Value | None
    position: int
    put: tuple[Value, ...]


class View:
    """A behaviour up to the violation of a property. ``meta`` is the description in the trace's document.

    ``after`` is the last state, ``before`` the one before it (``None`` if there is none), ``number`` the last
    state's, from 1.
    """

    def __init__(self, trace: Trace, meta: Mapping[str, Any]) -> None:
        last = meta.get("violated_at")
        if type(last) is int and 0 <= last < len(trace.steps):
            trace = replace(trace, steps=trace.steps[: last + 1], lasso=None, stuttering=False)
        self.trace, self.meta = trace, meta
        self.number = len(trace.steps)
        self.after: Fn = trace.steps[-1].state
        self.before: Fn | None = trace.steps[-2].state if self.number > 1 else None
        self.action = trace.steps[-1].action
        self.words = Wording(trace, meta)
        self._large = len(entries(self.after.get("state"))) > 9

    def constant(self, name: str) -> object:
        """Return a constant of the spec, if the trace's document has it; else ``None``."""
        constants = self.meta.get("constants")
        return constants.get(name) if isinstance(constants, Mapping) else None

    # -- names ---------------------------------------------------------------------------------------------------

    def channel(self, channel: Value) -> str:
        """Return the name of a channel: C12."""
        return channel_name(channel, large=self._large) if isinstance(channel, tuple) else str(channel)

    def process(self, process: Value) -> str:
        """Return the name of a process: P1."""
        return name_of(process)

    def processes(self, processes: Iterable[Value]) -> str:
        """Return the names of several processes: P1 and P2."""
        return several([self.process(process) for process in processes])

    # -- reading a state -----------------------------------------------------------------------------------------

    def entries(self, name: str, state: Fn | None = None) -> dict[Value, Value]:
        """Return a variable that is a function, as pairs, in the last state or in ``state``."""
        return entries((self.after if state is None else state).get(name))

    def queues(
        self, name: str = "chan", state: Fn | None = None
    ) -> dict[tuple[Value, ...], tuple[Value, ...]]:
        """Return a variable that maps channels to sequences."""
        return {
            c: q
            for c, q in self.entries(name, state).items()
            if isinstance(c, tuple) and isinstance(q, tuple)
        }

    def members(self, name: str, state: Fn | None = None) -> frozenset[Value]:
        """Return a variable that is a set."""
        return members((self.after if state is None else state).get(name))

    def red(self, state: Fn | None = None) -> set[Value]:
        """Return the processes that have recorded."""
        return set(self.entries("recState", state))

    def inputs(self, process: Value) -> list[tuple[Value, ...]]:
        """Return the channels to a process."""
        return [channel for channel in self.queues() if channel[1] == process]

    def numbers(self) -> range:
        """Return the indices of the states that repeat forever; the last alone where nothing happens any more."""
        lasso = self.trace.lasso
        return range(self.number - 1 if lasso is None else lasso, self.number)

    # -- what happened -------------------------------------------------------------------------------------------

    def recorded_at(self, process: Value) -> int | None:
        """Return the number of the state in which a process has its recorded state for the first time."""
        for index, step in enumerate(self.trace.steps):
            if process in entries(step.state.get("recState")):
                return index + 1
        return None

    def sent_at(self, channel: Value, element: Value) -> int | None:
        """Return the number of the last state in which an element came new into a channel."""
        for index in range(self.number - 1, 0, -1):
            now = _count(self.queues(state=self.trace.steps[index].state).get(channel, ()), element)  # type: ignore[arg-type]
            was = _count(self.queues(state=self.trace.steps[index - 1].state).get(channel, ()), element)  # type: ignore[arg-type]
            if now > was:
                return index + 1
        return None

    def moves(self) -> Iterator[Move]:
        """Yield the effect of the last step on each channel that it changed."""
        if self.before is None:
            return
        was = self.queues(state=self.before)
        for channel, queue in self.queues().items():
            old = was.get(channel, ())
            if same(old, queue):
                continue
            yield _moved(channel, old, queue)


def _moved(channel: tuple[Value, ...], old: tuple[Value, ...], new: tuple[Value, ...]) -> Move:
    if same(old, new[: len(old)]):
        return Move(channel, None, 0, new[len(old) :])
    for position in range(len(old)):
        rest = (*old[:position], *old[position + 1 :])
        if same(rest, new[: len(rest)]):
            return Move(channel, old[position], position, new[len(rest) :])
    return Move(channel, None, 0, ())


def _count(queue: Sequence[Value], element: Value) -> int:
    return sum(same(each, element) for each in queue)


def several(names: Sequence[str]) -> str:
    """Join names: "P1", "P1 and P2", "P1, P2 and P3"."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def times(count: int) -> str:
    """Return a count in words: "not at all", "once", "twice", "3 times"."""
    return {0: "not at all", 1: "once", 2: "twice"}.get(count, f"{count} times")


_BY_ID = ("recState", "recChan", "closed", "whiteInRed", "redInWhite")


def ids_of(trace: Trace) -> list[Value]:
    """Return the ids of the snapshots in a behaviour of ``Snapshots``; empty for any other behaviour."""
    return snapshot_ids(trace.steps[0].state) if trace.steps else []


def seen_through(trace: Trace, snapshot: Value) -> Trace:
    """Return a behaviour without the markers and recordings of other ids than ``snapshot``. TLA+: CL."""
    return replace(
        trace, steps=tuple(replace(step, state=_seen(step.state, snapshot)) for step in trace.steps)
    )


def of_snapshot(snapshot: Any) -> str:
    """Return the name of a snapshot: ``snapshot P2.1``."""
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
    """Describe the elements of a channel that are of no existing snapshot."""
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
