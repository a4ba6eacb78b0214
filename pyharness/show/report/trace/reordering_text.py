"""A reordering as people read it, both computations side by side, and as a document for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.machines.replay.reorder import as_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.base.topology import Topology
    from pyharness.machines.replay.reorder import ColouredAction, Reordering
    from pyharness.machines.replay.schedule import ExpectedSnapshot


def reordering_text(reordering: Reordering) -> str:
    """Write the actions before and after, SSS between white and red, the swaps, and the three states."""
    r, topology = reordering, reordering.computation.topology
    left = [_coloured(action, topology) for action in r.original]
    right = [_coloured(action, topology) for action in r.actions]
    headings = "as it happened", "white before red"
    margin, width = len(str(len(left))) + 2, max(map(len, (headings[0], *left)))
    lines = [f"{'':{margin}}{headings[0]:{width}}   {headings[1]}"]
    between = (
        f"{'':{margin}}{'':{width}}   ------ SSS {'-' * (max(map(len, (headings[1], *right))) - 11)}".rstrip()
    )
    for number, (before, after) in enumerate(zip(left, right, strict=True)):
        lines += [between] * (number == r.whites)
        lines.append(f"{number + 1:{margin - 2}}  {before:{width}}   {after}")
    lines += [between] * (r.whites == len(left))
    return "\n".join([*lines, "", *_swaps(r), "", *_states(r)]) + "\n"


def _coloured(action: ColouredAction, topology: Topology) -> str:
    return f"{action.colour:5}  {action.text(topology)}"


def _swaps(r: Reordering) -> Iterator[str]:
    topology = r.computation.topology
    for number, swap in enumerate(r.swaps, start=1):
        yield (
            f"swap {number}: {swap.white.text(topology)} comes before {swap.red.text(topology)},"
            f" at {swap.position}; {swap.inversions} inversions left"
        )
    if not r.swaps:
        yield "no swaps: white came before red"


def _states(r: Reordering) -> Iterator[str]:
    said = "which occurred" if r.occurred else "which never occurred"
    for name, snapshot, note in (
        ("S0", as_snapshot(r.s0), ""),
        ("SSS", r.sss, f"   {said}"),
        ("S1", as_snapshot(r.s1), ""),
    ):
        yield f"{name:5}{' '.join(snapshot.lines(r.computation.topology))}{note}"


def reordering_document(reordering: Reordering) -> dict[str, Any]:
    """Return a reordering as JSON: both sequences, the swaps, and the states S0, SSS and S1."""
    r, topology = reordering, reordering.computation.topology
    return {
        "topology": topology.id,
        "granularity": r.computation.granularity,
        "original": [_action(action, topology) for action in r.original],
        "reordered": [_action(action, topology) for action in r.actions],
        "whites": r.whites,
        "swaps": [
            {
                "position": swap.position,
                "red": swap.red.text(topology),
                "white": swap.white.text(topology),
                "inversions": swap.inversions,
            }
            for swap in r.swaps
        ],
        "s0": _snapshot(as_snapshot(r.s0), topology),
        "sss": _snapshot(r.sss, topology),
        "s1": _snapshot(as_snapshot(r.s1), topology),
        "occurred": r.occurred,
    }


def _action(action: ColouredAction, topology: Topology) -> dict[str, Any]:
    local = action.local
    accepted, sent = (
        [{"channel": topology.channel_name(channel), "msg": msg} for channel, msg in part]
        for part in (local.accepted, local.sent)
    )
    return {
        "process": topology.process_name(local.process),
        "colour": action.colour,
        "action": local.name,
        "accepted": accepted,
        "sent": sent,
    }


def _snapshot(snapshot: ExpectedSnapshot, topology: Topology) -> dict[str, Any]:
    states = [sorted(s, key=str) if isinstance(s, frozenset) else s for s in snapshot.states]
    return {
        "states": {topology.process_name(p): state for p, state in enumerate(states, start=1)},
        "channels": {
            topology.channel_name(channel): list(queue)
            for channel, queue in zip(topology.channels, snapshot.channels, strict=True)
        },
    }
