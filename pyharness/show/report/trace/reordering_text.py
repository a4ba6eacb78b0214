"""A reordering as people read it: both computations side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.machines.replay.reorder import as_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.base.topology import Topology
    from pyharness.machines.replay.reorder import ColouredAction, Reordering


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
    occurred = "which occurred" if r.occurred else "which never occurred"
    for name, snapshot, note in (
        ("S0", as_snapshot(r.s0), ""),
        ("SSS", r.sss, f"   {occurred}"),
        ("S1", as_snapshot(r.s1), ""),
    ):
        yield f"{name:5}{' '.join(snapshot.lines(r.computation.topology))}{note}"
