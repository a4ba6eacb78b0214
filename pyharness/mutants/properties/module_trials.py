"""The weakenings of any spec's properties, asked of the mutants of the spec: many of both in one run of TLC.

A mutant is followed to its end, beyond states that violate a property. Where a property does not hold each of its
weakenings is evaluated; so each is known to be violated by a mutant, or not, once the run is through. The mutant 0 is
the spec itself: it must violate nothing, and have as many states as the spec has alone.

What is said of whole behaviours is asked of mutants that were followed to their end, in runs of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import IncompleteError
from pyharness.mutants.properties.module_changes import Seen, chosen_weakenings
from pyharness.mutants.properties.watching import WHOLE, Watching, all_of
from pyharness.mutants.specs.mutant_tlc import AT_ONCE, MOST_RUNS, MutantTlc, more_looks, most_looks
from pyharness.mutants.specs.one_module import MUTANT, mutant_module
from pyharness.mutants.trial import Trial, Verdict
from pyharness.tla.plain_models.plain_model import OWN, ROOT
from pyharness.tla.tlc import EndedBy, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from contextlib import AbstractContextManager

    from pyharness.models.machine_tools import Tools
    from pyharness.models.spec_check import Bounds, CheckedSpec
    from pyharness.mutants.properties.watching import Changed, Formula
    from pyharness.mutants.specs.mutant_tlc import BatchRun
    from pyharness.tla.plain_models.plain_model import PlainModel

MOST_WEAKENINGS: Final = 500
"""So many weakenings of a spec are asked for; of further ones it is said that they were not."""

_LONG: Final = 3
"""Seconds after which a run that TLC could not end is not repeated with all mutants of it at once."""

_GROWN: Final = re.compile(rf'<<"{OWN}Noticed", (\d{{1,18}}), 0>>')
_FRAME: Final = re.compile(rf"[Ll]ine (\d{{1,18}}), column \d+ to line (\d{{1,18}}), column \d+ in {ROOT}\b")


@dataclass(frozen=True)
class WeakenedModel:
    """The ``trials`` of the weakenings of a model, in the order of the text, and ``notes`` on what was not asked.

    ``heading`` says how many mutants judged, and in how many runs of TLC.
    """

    trials: tuple[Trial, ...]
    heading: str
    notes: tuple[str, ...] = ()


def weaken_model(
    model: PlainModel,
    tools: Tools,
    bounds: Bounds,
    *,
    only: str = "",
    progress: Callable[[str], None] | None = None,
) -> WeakenedModel:
    """Weaken what a model checks, or what has ``only`` in its name, and ask its mutants, within ``bounds``.

    ``progress`` is told how far that is. Symmetry is left out, and deadlock is not looked for.

    Raises SpecError for a model that has no mutants, or no states to compare; IncompleteError where there is nothing to
    weaken, the spec itself is no pass or too large, or is another one beside its mutants.
    """
    return _Weakening(model, tools, bounds, only, progress or (lambda _: None)).done()


class _Weakening:
    def __init__(
        self, model: PlainModel, tools: Tools, bounds: Bounds, only: str, progress: Callable[[str], None]
    ) -> None:
        self._tlc = MutantTlc(model, tools, bounds)
        self._model = self._tlc.model
        self._progress = progress
        self._choice = chosen_weakenings(self._model, only)
        self._module = mutant_module(self._model)
        self._mutants = {each.number: each for each in self._module.mutants}
        self._asked = frozenset(self._choice.formulas[:MOST_WEAKENINGS])
        self._seen = Seen()
        self._seen.unfollowed = {
            (mutant, (one.name, index))
            for one in self._choice.properties
            if one.subject.kind == "behaviour"
            for index in range(WHOLE, len(one.changes))
            for mutant in self._mutants
        }
        self._refused: set[int] = set()
        self._watching = Watching((), MUTANT, 1, 1)
        self._require_subjects(only)

    def _require_subjects(self, only: str) -> None:
        if not self._choice.properties:
            left_out = "; ".join(f"{name}: {why}" for name, why in self._choice.left_out.items())
            raise IncompleteError(
                f"nothing is weakened, so nothing is told{': ' if left_out else ''}{left_out[:600]}",
                where="--only" if only else self._model.name,
                hint="an INVARIANT, or a property of the module's own, can be weakened",
            )
        if not self._mutants:
            raise IncompleteError(
                "no place of the spec is changed, so no mutant judges",
                where=self._model.name,
                hint="pyharness mutate says which definitions are changed",
            )

    def done(self) -> WeakenedModel:
        self._progress("the spec itself")
        checked = self._tlc.checked(self._subject(), option="--only")
        most = most_looks(checked)
        self._require_control(checked, most)
        self._follow(list(self._mutants), max(1, AT_ONCE // max(1, checked.result.distinct or 0)), most)
        if grown := sorted(self._seen.grown):
            self._seen.grown.clear()
            self._follow(grown, len(grown), more_looks(most, len(grown)))
            self._seen.grown |= set(grown) - self._seen.whole
        for one, indices in self._open("behaviour"):
            self._ask_of_behaviours(one, indices)
        return self._result(checked)

    def _ask_of_behaviours(self, one: Changed, indices: Sequence[int]) -> None:
        """Look for the mutants that violate a property of whole behaviours, and ask these for its weakenings.

        TLC names one at a time. Of a weakening one that does not violate it is enough: first are those that were that
        of another one.
        """
        until = self._tlc.left / 2
        violators: list[int] = []
        while self._tlc.left >= max(until, 1):
            left = self._seen.whole - set(violators)
            self._progress(f"{one.name}, of what {len(left)} mutants do for ever")
            violator = self._violator((one.name, WHOLE), one.subject.formula, {0, *left})
            if violator is None:
                break
            violators.append(violator)
        for number, index in enumerate(indices, start=1):
            self._progress(f"{number} of {len(indices)} weakenings of {one.name}")
            for mutant in list(violators):
                if self._tlc.left < 1:
                    return
                self._violator((one.name, index), one.changes[index].formula, {mutant})
                if not self._seen.is_open((one.name, index)):
                    violators.remove(mutant)
                    violators.insert(0, mutant)
                    break

    def _violator(self, asked: Formula, text: str, mutants: Collection[int]) -> int | None:
        """Return the mutant that TLC finds to violate a formula about behaviours; that none does is known if it ends.

        Raises IncompleteError if it is the spec itself.
        """
        seen, name = self._seen, f"{OWN}Lasting"
        definitions = [*self._module.definitions, (f"{name} == {text}", None)]
        result, number = self._tlc.fairly(replace(self._module, definitions=definitions), mutants, [name])
        if result.outcome is Outcome.SUCCESS:
            seen.unfollowed -= {(each, asked) for each in mutants}
        if number is not None:
            seen.not_hold.add((number, asked))
            seen.unfollowed.discard((number, asked))
            self._require_right_spec()
        return number

    def _follow(self, mutants: Sequence[int], size: int, most: int) -> None:
        """Run mutants, so many at once, while there is time and something to ask for."""
        self._tlc.in_halves(mutants, size, lambda batch: self._run_batch(batch, most), self._progress)

    def _subject(self) -> PlainModel:
        """Return the model that checks what is weakened, and nothing else."""
        model = self._model.only([one.name for one in self._choice.properties])
        return replace(model, config=replace(model.config, check_deadlock=False))

    def _result(self, checked: CheckedSpec) -> WeakenedModel:
        seen, mutants, tlc, notes = self._seen, self._mutants, self._tlc, []
        trials = [
            seen.trial(change, (one.name, index), mutants)
            if (one.name, index) in self._asked
            else Trial(
                change.key,
                change.change,
                Verdict.INCOMPLETE,
                why=f"at most {MOST_WEAKENINGS} weakenings are asked for",
            )
            for one in self._choice.properties
            for index, change in enumerate(one.changes)
        ]
        late = len(mutants) - len(seen.whole) - len(seen.no_judge)
        if seen.no_judge:
            notes.append(f"{len(seen.no_judge)} mutants are no judges, as TLC cannot take them")
        if late:
            notes.append(f"{late} mutants were not followed to their end")
        config = self._model.config
        if cuts := (*config.constraints, *config.action_constraints):
            notes.append(f"nothing beyond {', '.join(cuts)} was looked at")
        notes += [f"left out: {name}: {why}" for name, why in self._choice.left_out.items()]
        return WeakenedModel(
            tuple(trials),
            f"{self._model.heading}, {checked.result.distinct or 0:,} states: {len(trials)} weakenings, "
            f"{len(seen.whole)} of {len(mutants)} mutants judge, {tlc.runs} runs of TLC, {tlc.seconds:.0f} s",
            tuple(notes),
        )

    def _open(self, *kinds: str) -> list[tuple[Changed, list[int]]]:
        """Return the properties of some of these kinds, with their weakenings that are still to be asked for."""
        found = [
            (one, [i for i in range(len(one.changes)) if self._is_open((one.name, i))])
            for one in self._choice.properties
            if one.subject.kind in kinds
        ]
        return [(one, indices) for one, indices in found if indices]

    def _is_open(self, formula: Formula) -> bool:
        return formula in self._asked and self._seen.is_open(formula)

    # -- runs -------------------------------------------------------------------------------------------------------

    def _require_control(self, checked: CheckedSpec, most: int) -> None:
        """Require that the spec is beside its mutants what it is alone. Raises IncompleteError."""
        for _ in range(MOST_RUNS):
            with self._batch({0}, most) as run:
                self._take(run)
            if run.result.outcome is not Outcome.PARSE_ERROR or not self._leave_out_refused(run):
                break
        result = run.result
        if result.outcome is not Outcome.SUCCESS or result.distinct != checked.result.distinct:
            raise IncompleteError(
                "the spec beside its mutants is not what it is alone, so nothing that was found counts: "
                f"{result.error_text[:400] or f'{result.distinct} states, alone {checked.result.distinct}'}",
                where=self._model.name,
                hint="please report it, with the spec",
            )

    def _run_batch(self, numbers: Sequence[int], most: int) -> bool:
        """Run some mutants, again without what TLC or SANY cannot take; tell whether all others ran to their end.

        What took long is not run again as a whole, as the next that TLC cannot take would cost as much.
        """
        alive, seen = set(numbers), self._seen
        for _ in range(MOST_RUNS):
            alive -= seen.no_judge
            if self._tlc.left < 1:
                return False
            if not self._open("state", "step", "behaviour") or not alive:
                return True
            began = self._tlc.seconds
            with self._batch({0, *alive}, most) as run:
                self._take(run)
            if run.result.outcome is Outcome.SUCCESS:
                seen.whole |= alive - seen.grown
                return True
            if run.result.ended_by is EndedBy.TIMEOUT:
                return False
            if not (self._leave_out_refused(run) or self._leave_out_unevaluated(run)):
                raise IncompleteError(
                    f"the mutants could not be run: {run.result.error_text[:600]}", where=self._model.name
                )
            if self._tlc.seconds - began > _LONG and len(alive) > 1:
                return False
        return False

    def _leave_out_refused(self, run: BatchRun) -> bool:
        """Leave out the mutants, properties and weakenings that SANY refuses; tell whether there are some."""
        if run.result.outcome is not Outcome.PARSE_ERROR:
            return False
        bad = run.cannot_run() or set()
        self._refused |= {number for number in bad if number > 0}
        self._seen.no_judge |= self._refused
        self._seen.refused |= {found for number in bad if (found := self._watching.formula(-number))}
        return bool(bad)

    def _leave_out_unevaluated(self, run: BatchRun) -> bool:
        """Leave out what TLC could not evaluate: a weakening, a property in one mutant, or a mutant."""
        bad = run.cannot_run()
        if not bad:
            return False
        if not self._blame(min(bad), run):
            self._seen.no_judge |= bad
        return True

    def _take(self, run: BatchRun) -> None:
        """Take what a run said. Raises IncompleteError if the spec itself violates a property there."""
        self._seen.not_hold |= {(found.group, found.formula) for found in self._watching.read(run.said)}
        self._seen.grown |= {int(found[1]) for line in run.said if (found := _GROWN.fullmatch(line))}
        self._require_right_spec()

    def _require_right_spec(self) -> None:
        if any(mutant == 0 for mutant, _ in self._seen.not_hold):
            raise IncompleteError(
                "the spec beside its mutants violates what it does not violate alone, so nothing that was found counts",
                where=self._model.name,
                hint="please report it, with the spec",
            )

    def _blame(self, mutant: int, run: BatchRun) -> bool:
        """Tell whether a property or a weakening is what TLC could not evaluate in a mutant, and leave it out there.

        The places that TLC names are within each other, and a property and a weakening have a line each.
        """
        lines = {int(a) for a, b in _FRAME.findall(run.result.complaint) if a == b}
        tags = {-tag for line, tag in run.of_line.items() if line in lines and tag < 0}
        formulas = sorted({found for tag in tags if (found := self._watching.formula(tag))})
        for formula in formulas:
            if formula[1] != WHOLE:
                self._seen.unevaluated[formula] = mutant
                return True
        for formula in formulas:
            self._seen.unasked.add((mutant, formula))
            return True
        return False

    def _batch(self, alive: Collection[int], most: int) -> AbstractContextManager[BatchRun]:
        """Run mutants, and watch the properties that are asked for, and where they do not hold their weakenings."""
        asked = self._open("state", "step")
        skipped = {one.name: self._skipped(one.name) for one, _ in asked}
        first = 8002 + 2 * len(self._mutants)
        self._watching = watching = Watching(asked, MUTANT, len(self._mutants) + 1, first, skipped=skipped)
        registers = ", ".join(map(str, watching.registers))
        begin = f"ASSUME {OWN}Unseen({registers})"
        states = watching.states
        if asked and not self._open("behaviour"):  # a mutant is followed until all was seen of it
            seen = [watching.was_seen((one.name, index)) for one, indices in asked for index in indices]
            states = [*states, f"  /\\ ~({all_of(seen)})"]
        definitions = [(begin, None), *self._module.definitions, *watching.definitions]
        module = replace(self._module, definitions=definitions, states=states, steps=watching.steps)
        return self._tlc.batch(module, alive, most, dump=False)

    def _skipped(self, name: str) -> str:
        mutants = sorted(mutant for mutant, formula in self._seen.unasked if formula == (name, WHOLE))
        return f"{MUTANT} \\in {{{', '.join(map(str, mutants))}}}" if mutants else ""
