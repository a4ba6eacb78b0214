"""Long behaviours drawn at random, on larger graphs and with more items than are walked exhaustively, without a reset.

What a stateful program has in it beside what it shows comes out here, if it ever matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

from pyharness.programs.case_runs import LiveRun
from pyharness.programs.watched_machine import watched_system
from pyharness.protocols import Items
from pyharness.topology import Topology, random_topology
from pyharness.topology.families import random_dataflow

if TYPE_CHECKING:
    from pyharness.programs.difference import Difference
    from pyharness.programs.team import Programs
    from pyharness.programs.vocabulary import HeldProtocol
    from pyharness.programs.watched_machine import Taken

_MOST_PROCESSES: Final = 5
_MOST_ITEMS: Final = 4
_REFUSED: Final = 0.15
"""How often what the spec refuses is asked, if there is any."""


@dataclass(frozen=True)
class RandomWalks:
    """How many ``walks`` were made, with how many ``steps`` in all, ``refusals`` among them."""

    walks: int = 0
    steps: int = 0
    refusals: int = 0


def random_walks(
    held: HeldProtocol, programs: Programs, walks: int, *, steps: int = 60, seed: int = 1
) -> RandomWalks | Difference:
    """Make so many walks of at most so many steps; return how many, or the first difference.

    Raises ProgramError if programs cannot be reset, or say something after their last answers.
    """
    taken = refusals = 0
    for walk in range(walks):
        random = Random(f"{seed} {walk} {held.name}")  # noqa: S311 - to be repeated, not to be secret
        graph = _graph(held, random)
        items = range(1, random.randint(2, _MOST_ITEMS) + 1)
        placement = {p: [i for i in items if i % graph.processes == p % graph.processes] for p in _all(graph)}
        if held.dataflow:
            placement = {p: [] for p in _all(graph)}
            for item in items:
                placement[random.choice(graph.initiators)].append(item)
        system = watched_system(held, graph, Items(items, placement))
        team = programs.team(graph.processes)
        run = LiveRun(system, next(system.initial()), team)
        patience = random.choice((0, 0, 10, 30))
        for number in range(steps):
            actions, refused = run.choices()
            if refused and random.random() < _REFUSED:
                step: Taken = (random.choice(refused),)
                found = run.take(step, None)
                refusals += 1
            elif actions:
                step = _chosen(list(actions), random, waits=number < patience)
                found = run.take(step, actions[step])
            else:
                break
            if found is not None:
                return found.said(f"walk {walk + 1}, step {len(run.steps) + 1}, seed {seed}")
            taken += 1
        team.quiet()
    return RandomWalks(walks, taken, refusals)


def _all(graph: Topology) -> range:
    return range(1, graph.processes + 1)


def _graph(held: HeldProtocol, random: Random) -> Topology:
    n = random.randint(2, _MOST_PROCESSES)
    if held.dataflow:
        return random_dataflow(n, random, cyclic=False)
    initiators = random.sample(range(1, n + 1), random.randint(1, min(2, n)))
    return random_topology(n, random, initiators, n + random.randint(0, min(3, n * (n - 2))))


def _chosen(steps: list[Taken], random: Random, *, waits: bool) -> Taken:
    """Choose a step: half of the time a kind of event first, or else sending is nearly all there is.

    While it ``waits``, nothing is begun, for a snapshot that is begun at once finds nothing behind it.
    """
    if waits:
        steps = [step for step in steps if not step[0][1].is_request()] or steps
    if random.random() < 0.5:
        kind = random.choice(sorted({step[0][1].type for step in steps}))
        steps = [step for step in steps if step[0][1].type == kind]
    return random.choice(steps)
