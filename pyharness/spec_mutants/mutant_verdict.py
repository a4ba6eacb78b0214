"""What a mutant of a spec came to, in the configuration that was run and no other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from pyharness.modules.expressions import names_in

if TYPE_CHECKING:
    from pyharness.run.spec_check import CheckedSpec
    from pyharness.spec_mutants.spec_mutant import SpecMutant
    from pyharness.spec_mutants.split_graph import BehaviourStep, MutantGraph, Numbers

DEADLOCK: Final = "deadlock"
UNEVALUATED: Final = "TLC, which cannot evaluate it"
"""What notices a mutant beside the properties."""

WHOLE: Final = "a property of whole behaviours"
"""What notices one where TLC does not say which."""

_SPAN: Final = re.compile(r"line (\d+), col \d+ to line (\d+), col \d+ of module (\w+)")


class Class(Enum):
    """What a mutant can come to."""

    NOTICED = "noticed"
    FEWER = "only takes steps away"
    UNREACHED = "unreached"
    SAME = "the same"
    OTHER = "another behaviour that no property notices"
    UNDECIDED = "not decided"


@dataclass(frozen=True)
class MutantVerdict:
    """What a ``mutant`` came to; ``by`` is what notices it, ``idle`` the actions that it never takes and the spec does.

    ``numbers`` tell of its graph, as far as it was followed, and ``behaviour`` is the shortest that only it has.
    ``why`` says why it is not decided.
    """

    mutant: SpecMutant
    verdict: Class
    by: str = ""
    idle: tuple[str, ...] = ()
    numbers: Numbers | None = None
    behaviour: tuple[BehaviourStep, ...] = ()
    why: str = ""

    @property
    def is_unnoticed(self) -> bool:
        """Whether nothing notices it: no property, and no action that is never taken, though it behaves otherwise."""
        return self.verdict is Class.OTHER or (self.verdict is Class.FEWER and not self.idle)


def verdict_of(
    mutant: SpecMutant,
    plain: MutantGraph,
    graph: MutantGraph | None,
    *,
    noticed: str,
    deadlock: bool,
    checked: CheckedSpec,
    refused: bool,
    unasked: bool,
) -> MutantVerdict:
    """Return what a mutant came to, of which ``graph`` was found, or ``None`` where it did not run.

    ``noticed`` is what noticed it, ``"?"`` for a graph that grew beyond its bound; with ``deadlock`` a state without a
    step is noticed. ``refused`` says that SANY refuses it, ``unasked`` that properties of whole behaviours
    were not asked.
    """
    if refused:
        return MutantVerdict(mutant, Class.UNDECIDED, why="SANY refuses it")
    if noticed == "?":
        return MutantVerdict(mutant, Class.UNDECIDED, why="its graph grows beyond the bound")
    if noticed and graph is None:
        return MutantVerdict(mutant, Class.NOTICED, by=noticed)
    if graph is None:
        return MutantVerdict(mutant, Class.UNDECIDED, why="the time was up")
    numbers = graph.numbers(plain)
    if noticed:
        return MutantVerdict(mutant, Class.NOTICED, by=noticed, numbers=numbers)
    if graph.is_same(plain):
        verdict = Class.SAME if _is_reached(mutant, checked) else Class.UNREACHED
        return MutantVerdict(mutant, verdict, numbers=numbers)
    idle = tuple(sorted(plain.actions() - graph.actions()))
    if deadlock and (graph.dead_ends() or not graph.states):
        return MutantVerdict(mutant, Class.NOTICED, by=DEADLOCK, idle=idle, numbers=numbers)
    fewer = graph.is_part_of(plain)
    if unasked and not (fewer and idle):
        why = "no property of states or steps notices it; those of whole behaviours were not asked in time"
        return MutantVerdict(mutant, Class.UNDECIDED, numbers=numbers, why=why)
    if fewer:
        return MutantVerdict(mutant, Class.FEWER, idle=idle, numbers=numbers)
    behaviour = graph.shortest_new(plain)
    return MutantVerdict(mutant, Class.OTHER, idle=idle, numbers=numbers, behaviour=behaviour)


def _is_reached(mutant: SpecMutant, checked: CheckedSpec) -> bool:
    """Tell whether TLC evaluated in the spec itself what a mutant changes; where it does not say, it counts as reached.

    Of an action that was never taken TLC's coverage has the guards that were evaluated, and nothing of the rest.
    """
    idle = {action.name for action in checked.actions if not action.taken}
    if mutant.definition not in idle and not idle.isdisjoint(names_in(mutant.old)):
        return False
    if checked.coverage is None:
        return True
    around = [
        (int(span[2]) - int(span[1]), count)
        for counts in checked.coverage.expressions.values()
        for place, count in counts.items()
        if (span := _SPAN.fullmatch(place))
        and span[3] == mutant.module
        and int(span[1]) <= mutant.line <= int(span[2])
    ]
    if not around:
        return mutant.definition not in idle
    smallest = min(size for size, _ in around)
    return any(count for size, count in around if size == smallest)
