"""The underlying computation of a protocol's behaviour: its actions with their colours, and what the colours define.

E. W. Dijkstra, EWD864a, 1983: an action has the colour of its machine, and a message that of its action (E2); SSS is
the states at turning red and the white messages that red actions accept (E6).
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.errors import ConformanceError
from pyharness.protocols import RED, WHITE
from pyharness.replay.schedule import Snapshot
from pyharness.systems.system import messages_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.protocols import Channel
    from pyharness.systems.computation import ComputationSystem, LocalAction
    from pyharness.systems.system import GlobalState, System
    from pyharness.topology import Topology


class ColouredAction(NamedTuple):
    """An action of the computation, with the colour it was taken in (E2)."""

    colour: str
    local: LocalAction

    def text(self, topology: Topology) -> str:
        """Write it as ``P1 Send C12 m``."""
        process, detail = topology.process_name(self.local.process), self.local.detail(topology)
        return f"{process} {self.local.name}" + ("" if detail == process else f" {detail}")


def coloured_actions(
    system: System, computation: ComputationSystem, path: Sequence[GlobalState]
) -> tuple[tuple[ColouredAction, ...], tuple[GlobalState, ...]]:
    """Find the computation's actions in a protocol's path, and the computation's states that they lead through.

    A step that changes no local state and no message is none of them: a process records, a marker comes.

    Raises ConformanceError for a step that no computation can take.
    """
    actions: list[ColouredAction] = []
    states = [computation.underlying(path[0])]
    for number, (before, after) in enumerate(pairwise(path), start=2):
        end = computation.underlying(after)
        if end == states[-1]:
            continue
        local = next((a for a, reached in computation.local_actions(states[-1]) if reached == end), None)
        if local is None:
            raise ConformanceError(
                "no computation with FIFO channels takes this step", where=f"step {number}"
            )
        actions.append(ColouredAction(_colour(system, local, before, after), local))
        states.append(end)
    return tuple(actions), tuple(states)


def _colour(system: System, action: LocalAction, before: GlobalState, after: GlobalState) -> str:
    """Tell the colour of an action: what it sends has it, and so has what it accepts unless that crosses."""
    for channel, _ in action.sent:
        return messages_in(after.queues[system.channels.index(channel)])[-1].colour
    for channel, _ in action.accepted:
        index = system.channels.index(channel)
        if len(after.white_in_red[index]) > len(before.white_in_red[index]):
            return RED
        if len(after.red_in_white[index]) > len(before.red_in_white[index]):
            return WHITE
        return messages_in(before.queues[index])[0].colour
    return system.colour(before, action.process)


def inversions(actions: Sequence[ColouredAction]) -> int:
    """Count the pairs of a red action and a white one behind it."""
    red = total = 0
    for action in actions:
        if action.colour == RED:
            red += 1
        else:
            total += red
    return total


def snapshot_of(
    computation: ComputationSystem, states: Sequence[GlobalState], actions: Sequence[ColouredAction]
) -> Snapshot:
    """Return SSS as the colours define it (E6), of ``actions`` that lead through ``states``.

    It is each machine's state before its first red action, and for each channel the white messages that red actions
    accept, or nobody. Raises ConformanceError when an action accepts what was not sent.
    """
    at_turn: dict[int, Any] = {}
    sent: dict[Channel, deque[tuple[str, Any]]] = {channel: deque() for channel in computation.channels}
    kept: dict[Channel, list[Any]] = {channel: [] for channel in computation.channels}
    for before, (colour, local) in zip(states[:-1], actions, strict=True):
        if colour == RED:
            at_turn.setdefault(local.process, before.local[local.process - 1].app)
        for channel, msg in local.accepted:
            if not sent[channel]:
                name = computation.topology.channel_name(channel)
                raise ConformanceError(f"{msg} is accepted from {name}, and was not sent")
            tint, _ = sent[channel].popleft()
            if colour == RED and tint == WHITE:
                kept[channel].append(msg)
        for channel, msg in local.sent:
            sent[channel].append((colour, msg))
    return Snapshot(
        tuple(at_turn.get(process, own.app) for process, own in enumerate(states[-1].local, start=1)),
        tuple((*kept[c], *(msg for tint, msg in sent[c] if tint == WHITE)) for c in computation.channels),
    )


def recorded_snapshot(system: System, state: GlobalState) -> Snapshot:
    """Return what a protocol recorded, of a state in which its snapshot is complete."""
    states = system.recorded_states(state)
    return Snapshot(
        tuple(states[process] for process in sorted(states)),  # type: ignore[type-var]
        tuple(map(tuple, system.recorded_channels(state))),
    )


def as_snapshot(state: GlobalState) -> Snapshot:
    """Return a global state of the computation as the snapshot that would be it."""
    return Snapshot(
        tuple(local.app for local in state.local),
        tuple(tuple(element.msg for element in messages_in(queue)) for queue in state.queues),
    )
