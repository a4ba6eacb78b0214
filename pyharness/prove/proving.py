"""Prove all obligations, by two solvers, and report the missing ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.gate.plans.proof_lists import expected, needs
from pyharness.prove.finite_search import smallest
from pyharness.prove.obligations import (
    Obligation,
    assumed_together,
    false_goal,
    needed,
    obligations,
    sorts_of,
    with_room,
)
from pyharness.prove.proof_catalogue import MODULES, system
from pyharness.prove.solvers import Answer, ask, processes
from pyharness.prove.theorems import (
    collected,
    end_reachable,
    markers_arrive,
    sharp_rule,
    snapshot_ends,
    stable_predicates,
    swapping,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyharness.prove.logic import Structure

SECONDS: Final = 20.0
"""How long a solver may take for one question."""

_GLANCE: Final = 0.3
"""How long it may take to find what is possible impossible; that it is possible is seen without it."""

_CANARY_SECONDS: Final = 2.0
"""How long a solver may take for a canary."""

KNOWN: Final = ("WhiteRed", "ColourDiscipline/Send")
"""The obligation whose canaries each solver must answer in each run."""

_THEOREMS: Final[dict[str, Callable[[], Iterator[Obligation]]]] = {
    "EndReachable": end_reachable.obligations,
    "Swapping": swapping.obligations,
    "Sharp": sharp_rule.obligations,
    "MarkersArrive": markers_arrive.obligations,
    "SnapshotEnds": snapshot_ends.obligations,
    "Collected": collected.obligations,
    "Stable": stable_predicates.obligations,
}

SUBJECTS: Final = (*MODULES, *_THEOREMS)
"""The names that can be proved: the modules, then the theorems that are more than invariants."""


@dataclass(frozen=True)
class Proved:
    """The result of an obligation.

    ``answers`` has the answer of each solver; ``structure`` is the small universe in which one that is to be possible
    holds, or in which one that is to be valid fails. ``ok`` is true with full evidence only.
    """

    obligation: Obligation
    answers: dict[str, Answer]
    structure: Structure | None

    @property
    def ok(self) -> bool:
        """All solvers answer that it is valid; or it is possible, for it was seen to be.

        A solver that contradicts what was seen was asked something else, or is wrong.
        """
        verdicts = [answer.verdict for answer in self.answers.values()]
        if self.obligation.goal is None:
            return self.structure is not None and bool(verdicts) and "unsat" not in verdicts
        return bool(verdicts) and set(verdicts) == {"unsat"}

    @property
    def status(self) -> str:
        """``proved``, ``possible``, ``refuted`` by a counterexample, or ``unknown``."""
        if self.ok:
            return "possible" if self.obligation.goal is None else "proved"
        return "refuted" if self.structure is not None or self.obligation.goal is None else "unknown"


def theorem(name: str) -> list[Obligation]:
    """Return the obligations of one of the theorems beyond invariants."""
    return list(_THEOREMS[name]())


def subject(name: str) -> list[Obligation]:
    """Return all obligations of a subject, with those that what each is proved from holds together somewhere.

    Raises SpecError when there is none of that name.
    """
    if name in _THEOREMS:
        found = theorem(name)
    elif name in MODULES:
        module = system(name)
        listed = {what: by for (of, what), by in needs().items() if of == name}
        found = [
            *obligations(module),
            *(needed(module, what, by) for what, by in listed.items() if by != "-"),
        ]
    else:
        raise SpecError(f"nothing is proved of {name!r}", hint=f"there are: {', '.join(SUBJECTS)}")
    return [*found, *assumed_together(found)]


def missing(subjects: Sequence[str], found: Iterable[Obligation]) -> list[str]:
    """Return how what was found differs from the committed list: names of it that are missing, or are not on it."""
    wanted = {name for name in expected() if name.partition("/")[0] in subjects}
    names = Counter(f"{o.module}/{o.name}" for o in found)
    lines = [f"{name}: is not there" for name in sorted(wanted - set(names))]
    lines += [f"{name}: is not in the list of what is expected" for name in sorted(set(names) - wanted)]
    return lines + [f"{name}: is there {times} times" for name, times in sorted(names.items()) if times > 1]


def prove(
    found: Sequence[Obligation],
    solvers: Sequence[str],
    *,
    seconds: float = SECONDS,
    workers: int | None = None,
    done: Callable[[Proved], None] | None = None,
) -> list[Proved]:
    """Ask every solver about every obligation, ``workers`` at a time (a core each); ``done`` is called with each result.

    What is possible is seen in a small universe, which is evaluated: no solver has to be believed. A solver is asked
    for it all the same, for a moment, in the very words in which it is asked for proofs: where these contradict each
    other, everything would be proved. So it is for :func:`canaries`.

    Raises IncompleteError when a solver's process dies, or a canary does.
    """
    results = []
    with processes(workers) as pool:
        doubtful = canaries(found) if any(o.goal is not None for o in found) else []
        doubted = [pool.submit(_doubt, tuple(solvers), o.smtlib()) for o in doubtful]
        asked = [
            pool.submit(
                _ask, tuple(solvers), o.smtlib(), min(seconds, _GLANCE) if o.goal is None else seconds
            )
            for o in found
        ]
        for obligation, future in zip(found, asked, strict=True):
            proved = Proved(obligation, future.result(), None)
            if not proved.ok:
                proved = replace(proved, structure=smallest(obligation.formula, solvers[0]))
            results.append(proved)
            if done is not None:
                done(proved)
        for one, future in zip(doubtful, doubted, strict=True):
            _require_doubt(one, future.result())
    return results


def canaries(found: Sequence[Obligation]) -> list[Obligation]:
    """Return what no solver may call impossible, in the words of some obligations: the same for each of their subjects.

    One is the contrary of a goal that is proved: a solver that calls it valid proves nothing. Another one states that
    there are five of everything: from what leaves no room for them nothing follows for every graph. Those of
    :data:`KNOWN` come first, and of them each solver must find a model.
    """
    known = next(o for o in obligations(system(KNOWN[0])) if o.name == KNOWN[1])
    of_step = sorted(found, key=lambda o: len(sorts_of(o)))  # those that speak of most come last
    chosen = {o.module: o for o in of_step if o.goal is not None and o.step is not None}
    return [make(one) for one in (known, *chosen.values()) for make in (false_goal, with_room)]


def _require_doubt(one: Obligation, answers: dict[str, Answer]) -> None:
    what, _, name = one.name.partition("/")
    for solver, answer in answers.items():
        if answer.verdict == "unsat" or ((one.module, name) == KNOWN and answer.verdict != "sat"):
            asked = "a goal that is false" if what == "False" else "that there are five of everything"
            raise IncompleteError(
                f"{solver} answers {answer.verdict} to {asked}, so that nothing is proved",
                where=f"{one.module}/{one.name}",
                hint="see what is assumed; and whether the solver is the one of requirements/prove.txt",
            )


def _doubt(solvers: Sequence[str], script: str) -> dict[str, Answer]:
    return {solver: ask(solver, script, _CANARY_SECONDS, finding=True) for solver in solvers}


def _ask(solvers: Sequence[str], script: str, seconds: float) -> dict[str, Answer]:
    return {solver: ask(solver, script, seconds) for solver in solvers}
