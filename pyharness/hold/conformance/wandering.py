"""Models drawn at random, larger than any plan's, in which the implementation must take the spec's steps, too.

A comparison on all small graphs may still miss what takes three inputs, a third crash, or a timeout after an end. Here
graphs of up to eight processes, with more of everything, are walked at random, and in each state that is taken from a
walk the successors are compared with TLC's, both ways, and with those of the proof's formulas if they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import ConformanceError
from pyharness.base.topology import Topology
from pyharness.base.topology.families import random_dataflow, random_topology
from pyharness.hold.conformance.comparison import Conformance, conform_model
from pyharness.machines.protocols import MODES, PREDICATES
from pyharness.machines.replay.wander import Wander
from pyharness.machines.systems import APPLICATIONS, PROTOCOLS, find_protocol
from pyharness.models.bounds import Budget
from pyharness.models.model import Model

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyharness.models.machine_tools import Tools
    from pyharness.tla.modules.library import Library

WANDERERS: Final = tuple(PROTOCOLS)
"""The specs that can be compared state by state."""

_GRAPHS: Final = 3
"""The number of graphs drawn for one model, for one run of TLC."""

_MOST_PROCESSES: Final = 8
_MOST_ITEMS: Final = 6

_BOUNDS: Final = {
    "Records": (1, 3),
    "MaxCheckpoints": (1, 4),
    "Overlap": (0, 2),
    "MaxDeclines": (0, 2),
    "MaxCrashes": (0, 3),
    "Ends": (0, 1),
    "Savepoint": (0, 2),
    "AfterEnds": (0, 1),
    "Uploads": (0, 1),
    "Need": (1, 2),
    "Losses": (0, 1),
    "Duplicates": (0, 1),
    "Enough": (1, 3),
}
"""Between which numbers constants are drawn, both included; those of other names are as a command takes them."""


@dataclass(frozen=True)
class Wandered:
    """The result of a model: its comparison with Python, if it was completed, and the difference, in a word or "".

    ``differs`` names the action by which the sides differ first, or states what the formulas refuse.
    """

    model: Model
    python: Conformance | None
    differs: str | None


def draw(spec: str, seed: int, states: int = 60) -> Model:
    """Draw a model of a spec: graphs, items, constants and granularity. The same seed draws the same one.

    Of each graph ``states`` of them are taken from walks. Raises SpecError for a spec that cannot be compared.
    """
    registered = find_protocol(spec)
    random = Random(f"{spec} {seed}")  # noqa: S311 - to be repeated, not to be secret
    application = APPLICATIONS[registered.application]
    known = {**application.constants, **registered.constants}
    constants: dict[str, int | str] = {
        name: random.randint(*_BOUNDS[name]) if name in _BOUNDS else value for name, value in known.items()
    }
    if "Mode" in constants:
        constants["Mode"] = random.choice(sorted(MODES))
    granularity = random.choice(("event", "event", "action")) if application.items else "event"
    graphs = {_graph(random, granularity, constants, of_items=application.items) for _ in range(_GRAPHS)}
    return Model(
        name=f"wander-{seed}",
        spec=spec,
        topologies=tuple(sorted(graphs)),
        items=random.randint(1, _MOST_ITEMS),
        placement=random.choice(("initiator", "spread")),
        granularity=granularity,
        application=registered.application,
        constants=constants,
        predicate=random.choice(sorted(PREDICATES)) if registered.tests_predicates else None,
        stop=registered.stop,
        depth=2,
        wander=Wander(states, seed + 1),
        budget=Budget(300, 2048),
    )


def _graph(random: Random, granularity: str, constants: dict[str, Any], *, of_items: bool) -> Topology:
    """Draw a graph: an action of granularity ``action`` has all subsets of a process's channels, so those are few."""
    n = random.randint(2, _MOST_PROCESSES)
    if not of_items:
        return random_dataflow(n, random, cyclic=random.random() < 0.5)
    initiators = random.sample(range(1, n + 1), random.randint(1, min(3, n)))
    spare = random.randint(0, 3 if granularity == "action" else 8)
    drawn = random_topology(n, random, initiators, n + min(spare, n * (n - 2)))
    loops = {(p, p) for p in random.sample(range(1, n + 1), random.randint(0, 1))}
    return Topology.of(n, {*drawn.channels, *loops}, initiators)


def hold_drawn(
    model: Model,
    library: Library,
    tools: Tools,
    mutant: str = "",
    *,
    formulas: Callable[..., Any] | None = None,
) -> Wandered:
    """Compare a drawn model with the implementation, or its ``mutant``.

    ``formulas`` compares the proof's formulas as well (:func:`pyharness.prove.third_party.hold_together`).

    Raises what :func:`~pyharness.hold.conformance.comparison.conform_model` does, but for a state that one side refuses.
    """
    try:
        if formulas is None:
            found = conform_model(model, library, tools, implementation=mutant or None)
            return Wandered(model, found, _first(found))
        both = formulas(model, library, tools, mutant=mutant or None)
    except ConformanceError as error:
        return Wandered(model, None, error.message)
    refused = both.refused or (_first(both.formulas) if both.formulas else None)
    return Wandered(model, both.python, _first(both.python) or (f"the proof: {refused}" if refused else None))


def _first(found: Conformance) -> str | None:
    return None if found.agreed else f"by {found.rows[0].action}"
