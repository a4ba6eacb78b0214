"""The equivalent computation: white before red, with the snapshot as the state between (EWD864a E9, E10).

The underlying computation of a protocol's behaviour: its actions in their colours, and the facts that these define. E. W.
Dijkstra, EWD864a, 1983: an action has the colour of its machine, and a message that of its action (E2); SSS is the
states at turning red and the white messages that red actions accept (E6).

The actions of a computation whose snapshot is complete are sorted by colour. A red action and the white one after
it are swapped, which is possible because no red message is accepted in a white action: nothing else could make
the white one wait. Each swap is taken both ways by the implementation and must lead to the same state; it leaves
one inversion fewer and the snapshot as it was. In the end all white actions precede all red ones, the state between
them is SSS, and the last state is the one it was: S0 leads to SSS, and SSS to S1.

    E. W. Dijkstra, EWD864a, 1983.
    K. M. Chandy and L. Lamport, "Distributed Snapshots", TOCS 3(1), 1985, Theorem 1. (It states of postrecording
    events that they "immediately follow" prerecording ones; those that are swapped precede them.)
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from pyharness.base.errors import ConformanceError, SpecError
from pyharness.machines.protocols import RED, WHITE
from pyharness.machines.replay.replay import replay
from pyharness.machines.replay.schedule import ExpectedSnapshot
from pyharness.machines.systems.computation import ComputationSystem, LocalAction
from pyharness.machines.systems.system import messages_in
from pyharness.tla.tlc.trace import Trace, TraceStep
from pyharness.tla.values import Fn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.base.topology import Topology
    from pyharness.machines.protocols import Channel
    from pyharness.machines.systems.system import GlobalState, System


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

    A step that changes no local state and no message is not one of them: a process records, a marker comes.

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
    """Return the colour of an action: that of the messages it sends, and of those it accepts unless they cross."""
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
    """Count the pairs of a red action and a white one after it."""
    red = total = 0
    for action in actions:
        if action.colour == RED:
            red += 1
        else:
            total += red
    return total


def snapshot_of(
    computation: ComputationSystem, states: Sequence[GlobalState], actions: Sequence[ColouredAction]
) -> ExpectedSnapshot:
    """Return SSS as the colours define it (E6), of ``actions`` that lead through ``states``.

    It is each machine's state before its first red action, and for each channel the white messages that red actions
    accept, or no action. Raises ConformanceError when an action accepts a message that was not sent.
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
    return ExpectedSnapshot(
        tuple(at_turn.get(process, own.app) for process, own in enumerate(states[-1].local, start=1)),
        tuple((*kept[c], *(msg for tint, msg in sent[c] if tint == WHITE)) for c in computation.channels),
    )


def recorded_snapshot(system: System, state: GlobalState) -> ExpectedSnapshot:
    """Return the snapshot that a protocol recorded, in a state in which it is complete."""
    states = system.recorded_states(state)
    return ExpectedSnapshot(
        tuple(states[process] for process in sorted(states)),  # type: ignore[type-var]
        tuple(map(tuple, system.recorded_channels(state))),
    )


def as_snapshot(state: GlobalState) -> ExpectedSnapshot:
    """Return a global state of the computation as a snapshot."""
    return ExpectedSnapshot(
        tuple(local.app for local in state.local),
        tuple(tuple(element.msg for element in messages_in(queue)) for queue in state.queues),
    )


_HINT = "is a red message accepted in a white action (E4), or did a red machine turn white again (E1)?"


class Swap(NamedTuple):
    """One swap: at ``position`` (from 1) the ``red`` action made way for the ``white`` one after it.

    ``inversions`` is the number of pairs of a red action and a white one after it that are left.
    """

    position: int
    red: ColouredAction
    white: ColouredAction
    inversions: int


@dataclass(frozen=True)
class Reordering:
    """A computation and the equivalent one.

    ``computation`` is the system that takes both. ``original`` are the actions as they were taken, and
    ``original_states`` the states they led through, from S0 to S1; ``actions`` and ``states`` are those of the
    equivalent computation. ``swaps`` led from the one to the other, and ``sss`` is what the protocol recorded.
    """

    computation: ComputationSystem
    original: tuple[ColouredAction, ...]
    original_states: tuple[GlobalState, ...]
    actions: tuple[ColouredAction, ...]
    states: tuple[GlobalState, ...]
    swaps: tuple[Swap, ...]
    sss: ExpectedSnapshot

    @property
    def whites(self) -> int:
        """The number of white actions: the index of SSS among ``states``."""
        return sum(action.colour == WHITE for action in self.actions)

    @property
    def s0(self) -> GlobalState:
        """The first state of both computations."""
        return self.states[0]

    @property
    def s1(self) -> GlobalState:
        """The last state of both computations."""
        return self.states[-1]

    @property
    def occurred(self) -> bool:
        """Whether SSS is a state of the original computation; it need not be (E21)."""
        return any(as_snapshot(state) == self.sss for state in self.original_states)

    @property
    def trace(self) -> Trace:
        """The equivalent computation as a trace of ``specs/Computation.tla``."""
        topology = self.computation.topology
        labels = [(None, None), *((a.local.name, a.local.detail(topology)) for a in self.actions)]
        return Trace(
            tuple(
                TraceStep(name, Fn(self.computation.variables(state).items()), arguments=detail)
                for (name, detail), state in zip(labels, self.states, strict=True)
            )
        )


def reorder(trace: Trace, system: System) -> Reordering:
    """Sort the actions of ``trace``, which is one of ``system``'s protocol and has a complete snapshot.

    Raises SpecError when the snapshot is not complete, and ConformanceError when the implementation does not follow
    the trace, or when one of the laws above does not hold, naming the swap where it does not.
    """
    return reorder_path(follow(trace, system), system)


def follow(trace: Trace, system: System) -> tuple[GlobalState, ...]:
    """Take every step of ``trace`` and return the implementation's states; raises ConformanceError if it cannot."""
    replayed = replay(trace, system, check_properties=False)
    if replayed.divergence is not None:
        raise ConformanceError(
            f"this is not to be reordered: {replayed.divergence}",
            hint="only what the implementation can do is a computation",
        )
    return replayed.path


def reorder_path(path: Sequence[GlobalState], system: System) -> Reordering:
    """Sort the actions that led the implementation through ``path``; errors as in :func:`reorder`."""
    _require_complete(system, path[-1])
    computation = ComputationSystem(system.topology, system.application, granularity=system.granularity)
    original, original_states = coloured_actions(system, computation, path)
    reordering = _sorted(computation, original, original_states, recorded_snapshot(system, path[-1]))
    verify(reordering)
    return reordering


def _require_complete(system: System, state: GlobalState) -> None:
    if system.complete(state):
        return
    white = [p for p, local in enumerate(state.local, start=1) if local.recorded is None]
    names = ", ".join(map(system.topology.process_name, white))
    raise SpecError(
        f"the snapshot of this trace is not complete; not recorded: {names or 'all of the channels'}",
        hint="there is no SSS to reorder towards; give a longer trace",
    )


def _sorted(
    computation: ComputationSystem,
    original: tuple[ColouredAction, ...],
    original_states: tuple[GlobalState, ...],
    sss: ExpectedSnapshot,
) -> Reordering:
    """Swap the first adjacent pair of a red and a white action for as long as there is one."""
    order, states, swaps = list(original), list(original_states), list[Swap]()
    _require_snapshot(computation, states, order, sss, "what was recorded is not SSS (E6)")
    left = inversions(order)
    while left:
        at = next(i for i, (a, b) in enumerate(pairwise(order)) if (a.colour, b.colour) == (RED, WHITE))
        red, white = order[at : at + 2]
        where = f"swap {len(swaps) + 1}, actions {at + 1} and {at + 2}"
        try:
            states[at + 1] = swap(computation, states[at], red.local, white.local)
        except ConformanceError as error:
            raise ConformanceError(error.message, where=where, hint=_HINT) from None
        order[at : at + 2] = [white, red]
        if inversions(order) != left - 1:
            raise ConformanceError(f"{left} inversions became {inversions(order)}", where=where)
        left -= 1
        _require_snapshot(computation, states, order, sss, f"{where}: the snapshot became another")
        swaps.append(Swap(at + 1, red, white, left))
    return Reordering(computation, original, original_states, tuple(order), tuple(states), tuple(swaps), sss)


def _require_snapshot(
    computation: ComputationSystem,
    states: Sequence[GlobalState],
    order: Sequence[ColouredAction],
    sss: ExpectedSnapshot,
    message: str,
) -> None:
    found = snapshot_of(computation, states, order)
    if found != sss:
        recorded, defined = (" ".join(s.lines(computation.topology)) for s in (sss, found))
        raise ConformanceError(f"{message}: recorded is {recorded}, and the colours define {defined}")


def swap(
    computation: ComputationSystem, before: GlobalState, first: LocalAction, second: LocalAction
) -> GlobalState:
    """Take two actions in both orders from ``before``, and return the state between them in the other order.

    Raises ConformanceError, with the reason, unless both orders are possible and lead to the same state.
    """
    one, other = (f"{a.name} {a.detail(computation.topology)}" for a in (first, second))
    cannot = f"{other} cannot come before {one}"
    if first.process == second.process:
        name = computation.topology.process_name(first.process)
        raise ConformanceError(f"{cannot}: both are {name}'s, and a machine's actions keep their order")
    between = computation.take(before, first)
    after = None if between is None else computation.take(between, second)
    if after is None:
        raise ConformanceError(f"{one}, and then {other}, is not possible")
    middle = computation.take(before, second)
    if middle is None:
        fed = {channel for channel, _ in first.sent} & {channel for channel, _ in second.accepted}
        raise ConformanceError(
            f"{cannot}: it {'accepts what that sends' if fed else 'is not possible there'}"
        )
    if computation.take(middle, first) != after:
        raise ConformanceError(f"{cannot}: in that order they lead to another state")
    return middle


def stuck_pairs(reordering: Reordering) -> tuple[tuple[int, str], ...]:
    """Try to swap every adjacent pair of the original actions, regardless of colours; return those that do not swap.

    Each has the position (from 1) of the pair and the reason. It is the control of E9: were there none in any
    trace, swapping would prove nothing.
    """
    stuck = []
    pairs = zip(reordering.original_states, pairwise(reordering.original), strict=False)
    for position, (before, (first, second)) in enumerate(pairs, start=1):
        try:
            swap(reordering.computation, before, first.local, second.local)
        except ConformanceError as error:
            stuck.append((position, error.message))
    return tuple(stuck)


# -- the laws ------------------------------------------------------------------------------------------------


def verify(reordering: Reordering) -> None:
    """Check the facts that a reordering claims, independently of how it was made.

    Raises ConformanceError for the first of the laws of E9 and E10 that it breaks.
    """
    r = reordering
    both = ((r.original, r.original_states), (r.actions, r.states))
    for actions, states in both:
        _require_path(r.computation, actions, states)
    _require(r.s0 == r.original_states[0], "it begins in another state")
    _require(r.s1 == r.original_states[-1], "it ends in another state")
    by_colour = [a for colour in (WHITE, RED) for a in r.original if a.colour == colour]
    _require(list(r.actions) == by_colour, "its actions are not those of before, white ones first")
    _require_swaps(r)
    for actions, states in both:
        _require(snapshot_of(r.computation, states, actions) == r.sss, "its colours define another snapshot")
    _require(as_snapshot(r.states[r.whites]) == r.sss, "the state between white and red is not SSS")
    replayed = replay(r.trace, r.computation, check_properties=False)
    _require(replayed.agreed, str(replayed.divergence))


def _require_path(
    computation: ComputationSystem, actions: Sequence[ColouredAction], states: Sequence[GlobalState]
) -> None:
    _require(len(states) == len(actions) + 1, f"{len(actions)} actions lead through {len(states)} states")
    for number, (action, (before, after)) in enumerate(zip(actions, pairwise(states), strict=True), start=1):
        text = action.text(computation.topology)
        _require(computation.take(before, action.local) == after, f"action {number}, {text}, leads elsewhere")


def _require_swaps(r: Reordering) -> None:
    order, left = list(r.original), inversions(r.original)
    _require(len(r.swaps) == left, f"{len(r.swaps)} swaps for {left} inversions")
    for number, (position, red, white, rest) in enumerate(r.swaps, start=1):
        pair = slice(position - 1, position + 1)
        _require(order[pair] == [red, white], f"swap {number} is of other actions than are there")
        _require(
            (red.colour, white.colour) == (RED, WHITE), f"swap {number} is not of a red and a white action"
        )
        order[pair] = [white, red]
        _require(
            rest == inversions(order) == left - number,
            f"swap {number} leaves {inversions(order)} inversions",
        )
    _require(order == list(r.actions), "the swaps lead to another order")


def _require(law: bool, message: str) -> None:
    if not law:
        raise ConformanceError(f"the reordering is wrong: {message}")
