"""The specs' refinements over steps of the implementation, under their names.

A refinement is a property of a step: seen through the spec's mapping, the step is one of the abstract system's or
changes nothing there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.protocols import WHITE, Coloured, WhiteRed, WhiteRedState
from pyharness.systems.protocol_systems import WhiteRedSystem
from pyharness.systems.system import GlobalState, System, messages_in

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["refines_computation", "refines_white_red", "sss_reachable"]

Colourless = tuple[tuple[Any, ...], tuple[tuple[Any, ...], ...]]
"""A global state of the computation: local states, and messages by channel."""


def sss_reachable(system: System, before: GlobalState, after: GlobalState) -> bool:
    """E7: every step is a step of the computation towards SSS, or none."""
    return _computes(system, _towards_sss(system, before), _towards_sss(system, after))


def refines_computation(system: System, before: GlobalState, after: GlobalState) -> bool:
    """Without its colours, every step is a step of the computation, or none."""
    return _computes(system, _plain(before), _plain(after))


def refines_white_red(system: System, before: GlobalState, after: GlobalState) -> bool:
    """E13: every step is a step of WhiteRed, or none."""
    old, new = _as_white_red(system, before), _as_white_red(system, after)
    if old == new:
        return True
    ghosts = {"white_in_red": old.white_in_red, "red_in_white": old.red_in_white}
    return any(action.after._replace(**ghosts) == new for action in _abstract(system).actions(old))


def _abstract(system: System) -> WhiteRedSystem:
    return WhiteRedSystem(
        system.topology,
        system.application,
        process=WhiteRed,
        network=system.network,
        granularity=system.granularity,
    )


def _plain(state: GlobalState) -> Colourless:
    return (
        tuple(local.app for local in state.local),
        tuple(tuple(e.msg for e in messages_in(queue)) for queue in state.queues),
    )


def _towards_sss(system: System, state: GlobalState) -> Colourless:
    """See a state as SSS together with what is still white."""
    states = tuple(local.app if local.recorded is None else local.recorded.state for local in state.local)
    return states, tuple(map(tuple, system.sss_channels(state)))


def _computes(system: System, old: Colourless, new: Colourless) -> bool:
    return old == new or any(new == step for step in _computation_steps(system, *old))


def _computation_steps(
    system: System, states: tuple[Any, ...], channels: tuple[tuple[Any, ...], ...]
) -> Iterator[Colourless]:
    """Yield the successors of a colourless global state: a white system, seen without its colours."""
    bare = _abstract(system)
    inputs = [((),) * len(machine.inputs) for machine in bare.processes]
    local = tuple(WhiteRedState(app, None, rec) for app, rec in zip(states, inputs, strict=True))
    queues = tuple(tuple(Coloured(msg, WHITE) for msg in queue) for queue in channels)
    empty: tuple[tuple[Any, ...], ...] = ((),) * len(channels)
    for action in bare.actions(GlobalState(local, queues, empty, empty)):
        if action.name not in {"TurnRed", "TurnInExchange"}:
            yield _plain(action.after)


def _as_white_red(system: System, state: GlobalState) -> GlobalState:
    by_channel = dict(zip(system.channels, system.kept_channels(state), strict=True))
    local = tuple(
        WhiteRedState(own.app, own.recorded, tuple(by_channel[c] for c in machine.inputs))
        for machine, own in zip(system.processes, state.local, strict=True)
    )
    empty: tuple[tuple[Any, ...], ...] = ((),) * len(state.queues)
    return GlobalState(local, tuple(messages_in(queue) for queue in state.queues), empty, empty)
