"""Explain why something never happens: the liveness properties, from the states that repeat forever.

If these states decide a property, as they do for ``<>[]`` and ``[]<>``, it is the implementation's property, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.base.topology import Topology
from pyharness.machines.explain.behaviour_view import several
from pyharness.machines.explain.snapshot_reasons import is_control, tinted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyharness.machines.explain.behaviour_view import View
    from pyharness.tla.values import Fn, Value


def eventually_complete(view: View) -> str | None:
    """E14, E15, E18: in the end the snapshot is complete."""
    return _forever(view, _incomplete)


def eventually_all_red(view: View) -> str | None:
    """E3: from some time on all processes and all messages are red."""
    return _forever(view, _white)


def _eventually_red_if_reached(view: View) -> str | None:
    """E14: from some time on just those are red whom the initiators reach."""
    return _forever(view, _unreached) or _forever(view, _not_recorded)


def _eventually_concluded(view: View) -> str | None:
    """E15, E18: at some time the verdict is in."""
    return _forever(view, _unreported)


def everything_arrives(view: View) -> str | None:
    """E18: again and again each channel is empty."""
    return _forever(view, _stays)


def eventually_resumed(view: View) -> str | None:
    """E18: from some time on no process is paused."""
    return _forever(view, _never_resumed)


def _forever(view: View, missing: Callable[[View, Fn], str | None]) -> str | None:
    numbers = view.numbers()
    endless = (
        f"after step {view.number} nothing happens any more"
        if view.trace.lasso is None
        else f"steps {numbers[0] + 1} to {view.number} repeat forever"
        if len(numbers) > 1
        else f"step {view.number} repeats forever"
    )
    for index in reversed(numbers):
        if found := missing(view, view.trace.steps[index].state):
            return f"{endless}, and {found}"
    return None


def _not_recorded(view: View, state: Fn) -> str | None:
    white = sorted(set(view.entries("state")) - view.red(state), key=str)
    if not white:
        return None
    turning = [p for p in white if any(p in view.red(view.trace.steps[n].state) for n in view.numbers())]
    if turning:
        return f"{view.processes(turning)} records again and again, and forgets what it recorded"
    waiting = [
        f"{view.words.element(element)} in {view.channel(channel)} is never accepted"
        for channel, queue in view.queues(state=state).items()
        if channel[1] in white
        for element in queue[:1]
        if is_control(element)
    ]
    because = f": the {several(waiting)}" if waiting else _no_reason(view, state, white)
    return f"{view.processes(white)} never record{'s its state' if len(white) == 1 else ' their states'}{because}"


def _no_reason(view: View, state: Fn, white: list[Value]) -> str:
    """Describe the barriers or markers that have arrived at processes which do not record, or that none ever comes."""
    arrived = view.members("arrived", state)
    marked = [view.channel(c) for p in white for c in view.inputs(p) if c in view.members("closed", state)]
    if marked:
        return f", although the marker{'s'[: len(marked) > 1]} of {several(marked)} {'have' if len(marked) > 1 else 'has'} arrived"
    for process in white:
        got = [view.channel(c) for c in view.inputs(process) if c in arrived]
        lacking = [view.channel(c) for c in view.inputs(process) if c not in arrived]
        if got and not lacking:
            return f", although the barriers of {several(got)} have arrived"
        if got:
            return f": the barrier of {several(got)} has arrived, and that of {several(lacking)} never does"
    if "paused" in state:
        return _paused(view, state)
    if "closed" in state or "arrived" in state:
        kind, ones = ("marker" if "closed" in state else "barrier"), "it" if len(white) == 1 else "them"
        began = "" if view.red(state) else ", and nobody initiates"
        return f": no {kind} ever comes to {ones}{began}"
    return ""


def _unreached(view: View, state: Fn) -> str | None:
    graph = Topology.from_id(str(state["topo"]))
    far: list[Value] = sorted(view.red(state) - graph.reachable_from(graph.initiators), key=str)
    return f"{view.processes(far)} is red, though no marker can come there from an initiator" if far else None


def _paused(view: View, state: Fn) -> str:
    running = sorted(set(view.entries("state")) - view.members("paused", state), key=str)
    if running:
        return f": {view.processes(running)} never pauses, and recording waits until all have"
    full = [
        f"{', '.join(map(view.words.element, queue))} in {view.channel(channel)}"
        for channel, queue in view.queues(state=state).items()
        if queue
    ]
    return (
        f": {several(full)} is never accepted, and recording waits until the channels have drained"
        if full
        else ""
    )


def _incomplete(view: View, state: Fn) -> str | None:
    if found := _not_recorded(view, state):
        return found
    closed = view.members("closed" if "closed" in state else "arrived", state)
    kind = "marker" if "closed" in state else "barrier"
    for channel, queue in view.queues(state=state).items():
        if channel not in closed and ("closed" in state or "arrived" in state):
            there = any(is_control(element) for element in queue)
            name, done = view.channel(channel), f"{view.process(channel[1])} is never done"
            if there:
                return f"{done}: the {kind} in {name} is never accepted"
            return f"{done}: the recording of {name} is never closed, though no {kind} is in it any more"
    return None


def _stays(view: View, state: Fn) -> str | None:
    for channel, queue in view.queues(state=state).items():
        if all(view.queues(state=view.trace.steps[n].state)[channel] for n in view.numbers()):
            there = f"{view.words.element(queue[0])} in {view.channel(channel)} is never accepted"
            blocked = channel in view.members("arrived", state)
            return f"{there}: its barrier has arrived, and the input stays blocked" if blocked else there
    return None


def _never_resumed(view: View, state: Fn) -> str | None:
    paused = sorted(view.members("paused", state), key=str)
    if not paused:
        return None
    names = view.processes(paused)
    if set(paused) <= view.red(state):
        return f"{names} recorded and never resume{'s' if len(paused) == 1 else ''}"
    return f"{names} {'stays' if len(paused) == 1 else 'stay'} paused{_paused(view, state)}"


def _white(view: View, state: Fn) -> str | None:
    if found := _not_recorded(view, state):
        return found
    for channel, queue in view.queues(state=state).items():
        if white := tinted(queue, "white"):
            return f"the white {view.words.messages(white)} in {view.channel(channel)} is never accepted"
    return None


def _unreported(view: View, state: Fn) -> str | None:
    if state.get("verdict") != "pending":
        return None
    missing = sorted(set(view.entries("state")) - set(view.entries("collected", state)), key=str)
    if not missing:
        return "the collector has all reports and never concludes"
    under_way = [p for p in missing if p in view.entries("reports", state)]
    lost = "is never collected" if under_way else "is never sent"
    return f"the collector waits for the report of {view.processes(missing)}, which {lost}"


ENDLESS_REASONS: Final[Mapping[str, Callable[[View], str | None]]] = {
    "EventuallyComplete": eventually_complete,
    "EventuallyStaysComplete": eventually_complete,
    "EventuallyAllRed": eventually_all_red,
    "EventuallyRedIfReached": _eventually_red_if_reached,
    "EventuallyConcluded": _eventually_concluded,
    "EventuallyDetected": _eventually_concluded,
    "EverythingArrives": everything_arrives,
    "EventuallyResumed": eventually_resumed,
}
"""The reasons by the name of the property."""
