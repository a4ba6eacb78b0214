"""The mutants of a model followed in TLC, many at once, and the formulas that were seen not to hold in each.

A mutant is followed to its end, beyond states that violate a property, or until there is nothing left to ask of it.
A mutant or a formula that TLC or SANY cannot take is left out, and the others run again. The mutant 0 is the spec itself,
and must violate nothing.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import IncompleteError
from pyharness.mutants.properties.asked_change import ESCAPES, NOT_EVALUATED, REFUSED, AskedChange
from pyharness.mutants.properties.module_changes import chosen_weakenings
from pyharness.mutants.properties.watching import ITSELF, Watching
from pyharness.mutants.specs.mutant_tlc import (
    AT_ONCE,
    MOST_AT_ONCE,
    MOST_RUNS,
    MutantTlc,
    cannot_run,
    more_looks,
    most_looks,
)
from pyharness.mutants.specs.one_module import MUTANT, mutant_module
from pyharness.tla.plain_models.plain_model import OWN
from pyharness.tla.tlc import EndedBy, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    from pyharness.models.machine_tools import Tools
    from pyharness.models.spec_check import Bounds, CheckedSpec
    from pyharness.mutants.properties.root_run import RootRun
    from pyharness.mutants.properties.watching import Changed, Formula, PropertyChange
    from pyharness.mutants.specs.one_module import MutantModule
    from pyharness.mutants.specs.spec_mutant import SpecMutant
    from pyharness.mutants.trial import Trial
    from pyharness.tla.plain_models.plain_model import PlainModel
    from pyharness.tla.tlc import Result

_LONG: Final = 3
"""Seconds after which a run that TLC could not end is not repeated with all mutants of it at once."""

_GROWN: Final = re.compile(rf'<<"{OWN}Grown", (\d{{1,18}})>>')

Asked = list[tuple["Changed", list[int]]]
"""Properties that are asked for, each with the indices of those of its changes that are."""


@dataclass
class Seen:
    """The formulas that do ``not_hold`` in mutants, as pairs of a mutant and a formula, and which mutants are judges.

    ``complete`` are mutants that were followed to their end, ``grown`` those whose graph grew beyond its bound;
    ``unreadable`` ones SANY refuses, and at ``stopped`` ones TLC stops. ``unasked`` are pairs of a mutant and a property
    that TLC cannot evaluate in it. ``unevaluated`` has by weakening the mutant in which TLC can evaluate the property
    and not it; ``refused`` are formulas that SANY refuses. ``unfollowed`` are pairs of a mutant and a temporal formula
    that was not decided in it.
    """

    not_hold: set[tuple[int, Formula]] = field(default_factory=set)
    complete: set[int] = field(default_factory=set)
    grown: set[int] = field(default_factory=set)
    unreadable: set[int] = field(default_factory=set)
    stopped: set[int] = field(default_factory=set)
    unasked: set[tuple[int, Formula]] = field(default_factory=set)
    unevaluated: dict[Formula, int] = field(default_factory=dict)
    refused: set[Formula] = field(default_factory=set)
    unfollowed: set[tuple[int, Formula]] = field(default_factory=set)

    @property
    def not_judges(self) -> set[int]:
        """The mutants that SANY or TLC cannot take."""
        return self.unreadable | self.stopped

    def violators(self, name: str) -> set[int]:
        """Return the judges that violate a property."""
        return {
            mutant
            for mutant, formula in self.not_hold
            if formula == (name, ITSELF) and self._asked(mutant, name)
        }

    def escaped(self, formula: Formula) -> int | None:
        """Return the first mutant that violates the property and not the weakening, in all that it does."""
        return min(
            (
                mutant
                for mutant in self.violators(formula[0]) & self.complete
                if (mutant, formula) not in self.not_hold | self.unfollowed
            ),
            default=None,
        )

    def may_notice(self, mutant: int, formula: Formula) -> bool:
        """Return whether a mutant may notice a weakening, as far as was seen."""
        return (
            (mutant not in self.complete or self._may_follow(mutant, formula))
            and (mutant, formula) not in self.not_hold
            and self._asked(mutant, formula[0])
        )

    def _may_follow(self, mutant: int, formula: Formula) -> bool:
        own = (mutant, (formula[0], ITSELF))
        return own in self.unfollowed or (own in self.not_hold and (mutant, formula) in self.unfollowed)

    def is_open(self, formula: Formula) -> bool:
        """Return whether a weakening is still undecided."""
        return (
            formula not in self.unevaluated
            and self.refused.isdisjoint((formula, (formula[0], ITSELF)))
            and self.escaped(formula) is None
        )

    def _asked(self, mutant: int, name: str) -> bool:
        return mutant not in self.not_judges and (mutant, (name, ITSELF)) not in self.unasked

    def trial(self, change: PropertyChange, formula: Formula, mutants: Mapping[int, SpecMutant]) -> Trial:
        """Return the verdict on a weakening by the ``mutants``, as far as was seen."""
        asked = AskedChange(change.key, change.change, "mutant")
        asked.looked = {str(mutants[mutant]) for mutant in self.violators(formula[0])}
        if (mutant := self.unevaluated.get(formula)) is not None:
            asked.notice(str(mutants[mutant]), NOT_EVALUATED)
        elif (mutant := self.escaped(formula)) is not None:
            asked.notice(str(mutants[mutant]), ESCAPES)
        for mutant in mutants:
            if not self.refused.isdisjoint((formula, (formula[0], ITSELF))):
                asked.open[str(mutants[mutant])] = REFUSED
            elif self.may_notice(mutant, formula):
                asked.open[str(mutants[mutant])] = self._why_open(mutant)
        return asked.trial()

    def _why_open(self, mutant: int) -> str:
        if mutant in self.grown:
            return "its graph grows beyond the bound"
        return (
            "temporal properties were not decided in it"
            if mutant in self.complete
            else "it was not run to its end in time"
        )


class FollowedMutants(ABC):
    """Follows the mutants of a ``model``, within ``bounds``, watched for the properties that have ``only`` in their names.

    ``progress`` is called with the progress. Symmetry is left out: it chooses states that cannot be compared.

    Raises SpecError for a model that has no mutants, or no states to compare.
    """

    dump = False
    """Whether the graphs of the mutants are written."""

    def __init__(
        self,
        model: PlainModel,
        tools: Tools,
        bounds: Bounds,
        progress: Callable[[str], None] | None,
        only: str = "",
    ) -> None:
        self._tlc = MutantTlc(model, tools, bounds)
        self._model = self._tlc.model
        self._progress = progress or (lambda _: None)
        self._properties = chosen_weakenings(self._model, only)
        self._module = mutant_module(self._model)
        self._mutants = {each.number: each for each in self._module.mutants}
        self._seen = Seen()
        self._watching = Watching((), MUTANT, 1, 1)

    @abstractmethod
    def _asked(self) -> Asked:
        """Return the properties of states and steps that mutants are watched for."""

    @abstractmethod
    def _over(self, asked: Asked) -> str:
        """Return a formula of states at which a mutant need not be followed further, if there is one."""

    def _settled(self) -> set[int]:
        """Return the mutants of which nothing more is asked."""
        return self._seen.not_judges

    def _is_settled(self) -> bool:
        """Return whether nothing more is asked of any mutant."""
        return False

    def _take(self, run: RootRun, alive: Collection[int]) -> None:
        """Add the findings of a run. Raises IncompleteError if the spec itself violates a property there."""
        self._seen.not_hold |= {(found.group, found.formula) for found in self._watching.read(run.output)}
        self._seen.grown |= {int(found[1]) for line in run.output if (found := _GROWN.fullmatch(line))}
        if run.result.outcome is Outcome.SUCCESS:
            self._seen.complete |= set(alive) - self._seen.grown
        self._require_right_spec()

    def _require_right_spec(self) -> None:
        if any(mutant == 0 for mutant, _ in self._seen.not_hold):
            raise IncompleteError(
                "the spec beside its mutants violates what it does not violate alone, so nothing that was found counts",
                where=self._model.name,
                hint="please report it, with the spec",
            )

    def _follow(self, mutants: Sequence[int], checked: CheckedSpec) -> None:
        """Run mutants, many at once, while there is time; those whose graphs grow once more, and further."""
        most, grown = most_looks(checked), self._seen.grown
        size = min(MOST_AT_ONCE, max(1, AT_ONCE // max(1, checked.result.distinct or 0)))
        self._in_halves(mutants, size, most)
        if again := sorted(grown - self._settled()):
            grown.clear()
            self._in_halves(again, len(again), more_looks(most, len(again)))
            grown |= set(again) - self._seen.complete

    def _in_halves(self, mutants: Sequence[int], size: int, most: int) -> None:
        self._tlc.in_halves(mutants, size, lambda batch: self._run_batch(batch, most), self._progress)

    def _run_batch(self, numbers: Sequence[int], most: int) -> bool:
        """Run some mutants, again without those that TLC or SANY cannot take; return whether all others ran to their end.

        A run that took long is not made again in one piece, as the next mutant that TLC cannot take would cost as much.
        """
        alive = set(numbers)
        for _ in range(MOST_RUNS):
            alive -= self._settled()
            if self._tlc.left < 1:
                return False
            if self._is_settled() or not alive:
                return True
            began = self._tlc.seconds
            with self._batch({0, *alive}, most) as run:
                self._take(run, alive)
            if run.result.outcome is Outcome.SUCCESS:
                return True
            if run.result.ended_by is EndedBy.TIMEOUT:
                return False
            if not self._leave_out(run):
                raise IncompleteError(
                    f"the mutants could not be run: {run.result.error_text[:600]}", where=self._model.name
                )
            if self._tlc.seconds - began > _LONG and len(alive) > 1:
                return False
        return False

    def _violators(
        self, module: MutantModule, mutants: Collection[int], names: Sequence[str], until: float = 1
    ) -> tuple[dict[int, Result], set[int]]:
        """Check temporal properties of the root; return the mutants that violate them, and those that do not.

        TLC names one at a time, and the others are asked again, while there is time.
        """
        violated: dict[int, Result] = {}
        left = set(mutants)
        while left and self._tlc.left > until:
            self._progress(f"{len(left)} mutants, for temporal properties")
            result, number = self._tlc.fairly(module, left, names)
            if result.outcome is Outcome.SUCCESS:
                return violated, left
            if number is None:
                break
            violated[number] = result
            left.discard(number)
        return violated, set()

    def _batch(self, alive: Collection[int], most: int) -> AbstractContextManager[RootRun]:
        """Run mutants, and watch the properties that are asked for, and where they do not hold their weakenings."""
        asked = self._asked()
        skipped = {one.name: self._skipped(one.name) for one, _ in asked}
        first = 8002 + 2 * len(self._mutants)
        self._watching = watching = Watching(asked, MUTANT, len(self._mutants) + 1, first, skipped=skipped)
        registers = ", ".join(map(str, watching.registers))
        over = self._over(asked)
        states = [*watching.states, f"  /\\ ~({over})"] if over else watching.states
        begin = f"ASSUME {OWN}Unseen({registers})"
        definitions = [(begin, None), *self._module.definitions, *watching.definitions]
        module = replace(self._module, definitions=definitions, states=states, steps=watching.steps)
        return self._tlc.batch(module, alive, most, dump=self.dump)

    def _skipped(self, name: str) -> str:
        mutants = sorted(mutant for mutant, formula in self._seen.unasked if formula == (name, ITSELF))
        return f"{MUTANT} \\in {{{', '.join(map(str, mutants))}}}" if mutants else ""

    def _leave_out(self, run: RootRun) -> bool:
        """Leave out what SANY refuses, or TLC cannot evaluate: a formula, or a mutant; return whether there was one."""
        bad = cannot_run(run) or set()
        if run.result.outcome is Outcome.PARSE_ERROR:
            self._seen.unreadable |= {number for number in bad if number > 0}
            self._seen.refused |= {found for number in bad if (found := self._watching.formula(-number))}
        elif bad and not self._blame(min(bad), run):
            self._seen.stopped |= bad
        return bool(bad)

    def _blame(self, mutant: int, run: RootRun) -> bool:
        """Return whether TLC could not evaluate a property or a weakening in a mutant, and leave it out there."""
        formulas = self._watching.blamed(run.result.complaint, run.of_line)
        if weaker := [each for each in formulas if each[1] != ITSELF]:
            self._seen.unevaluated[weaker[0]] = mutant
        elif formulas:
            self._seen.unasked.add((mutant, formulas[0]))
        return bool(formulas)
