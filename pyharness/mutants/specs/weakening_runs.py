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
from pyharness.mutants.specs.mutant_tlc import AT_ONCE, MOST_RUNS, MutantTlc, more_looks, most_looks
from pyharness.mutants.specs.one_module import MUTANT, mutant_module
from pyharness.mutants.specs.plain_weakenings import (
    MOST_WEAKENINGS,
    About,
    Choice,
    Judged,
    Seen,
    WeakeningVerdict,
    chosen_weakenings,
    verdict_on,
)
from pyharness.tla.plain_models.plain_model import OWN, ROOT
from pyharness.tla.tlc import EndedBy, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pyharness.models.machine_tools import Tools
    from pyharness.models.spec_check import Bounds, CheckedSpec
    from pyharness.mutants.specs.mutant_tlc import BatchRun
    from pyharness.mutants.specs.one_module import MutantModule
    from pyharness.mutants.specs.plain_weakenings import PlainWeakening, WeakenedProperty
    from pyharness.tla.plain_models.plain_model import PlainModel

_LONG: Final = 3
"""Seconds after which a run that TLC could not end is not repeated with all mutants of it at once."""

_SEEN: Final = re.compile(rf'<<"{OWN}Seen", (\d+), (\d+)>>')
_GROWN: Final = re.compile(rf'<<"{OWN}Noticed", (\d+), 0>>')
_FRAME: Final = re.compile(rf"[Ll]ine (\d+), column \d+ to line (\d+), column \d+ in {ROOT}\b")


@dataclass(frozen=True)
class WeakenedModel:
    """What the weakenings of a model came to, a verdict for each in the order of the text.

    ``choice`` has the properties and why others are left out; ``mutants`` is how many were made, ``judges`` how many of
    them were followed to their end; ``violators`` has by property how many mutants violate it. ``runs`` is how often
    TLC ran beside the check of the spec, which has so many ``states``.
    """

    choice: Choice
    verdicts: tuple[WeakeningVerdict, ...]
    mutants: int
    judges: int
    no_judges: int
    violators: dict[str, int]
    states: int
    runs: int
    seconds: float

    def of(self, judged: Judged) -> list[WeakeningVerdict]:
        """Return the verdicts of one sort."""
        return [each for each in self.verdicts if each.judged is judged]


def weaken_plain(
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
        self._asked = frozenset(each.number for each in self._choice.weakenings[:MOST_WEAKENINGS])
        self._seen = Seen()
        self._seen.unfollowed = {
            (mutant, number)
            for prop in self._choice.properties
            if prop.about is About.BEHAVIOURS
            for number in (prop.number, *(each.number for each in prop.weakenings))
            for mutant in self._mutants
        }
        self._refused: set[int] = set()
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
        for prop, weakenings in self._open(About.BEHAVIOURS):
            self._ask_of_behaviours(prop, weakenings)
        return self._result(checked)

    def _ask_of_behaviours(self, prop: WeakenedProperty, weakenings: Sequence[PlainWeakening]) -> None:
        """Look for the mutants that violate a property of whole behaviours, and ask these for its weakenings.

        TLC names one at a time. Of a weakening one that does not violate it is enough: first are those that were that
        of another one.
        """
        until = self._tlc.left / 2
        violators: list[int] = []
        while self._tlc.left >= max(until, 1):
            left = self._seen.whole - set(violators)
            self._progress(f"{prop.name}, of what {len(left)} mutants do for ever")
            violator = self._violator(prop, {0, *left})
            if violator is None:
                break
            violators.append(violator)
        for number, each in enumerate(weakenings, start=1):
            self._progress(f"{number} of {len(weakenings)} weakenings of {prop.name}")
            for mutant in list(violators):
                if self._tlc.left < 1:
                    return
                self._violator(each, {mutant})
                if not self._seen.is_open(prop, each):
                    violators.remove(mutant)
                    violators.insert(0, mutant)
                    break

    def _violator(self, asked: WeakenedProperty | PlainWeakening, mutants: Collection[int]) -> int | None:
        """Return the mutant that TLC finds to violate a formula about behaviours; that none does is known if it ends.

        Raises IncompleteError if it is the spec itself.
        """
        seen, name = self._seen, f"{OWN}Lasting"
        definitions = [*self._module.definitions, (f"{name} == {asked.formula}", None)]
        result, number = self._tlc.fairly(replace(self._module, definitions=definitions), mutants, [name])
        if result.outcome is Outcome.SUCCESS:
            seen.unfollowed -= {(each, asked.number) for each in mutants}
        if number is not None:
            seen.not_hold.add((number, asked.number))
            seen.unfollowed.discard((number, asked.number))
            self._require_right_spec()
        return number

    def _follow(self, mutants: Sequence[int], size: int, most: int) -> None:
        """Run mutants, so many at once, while there is time and something to ask for; what is not through in halves."""
        batches = [mutants[first : first + size] for first in range(0, len(mutants), size)]
        while batches and self._tlc.left >= 1 and self._open(*About):
            batch = batches.pop(0)
            self._progress(f"{len(batch)} of {len(mutants)} mutants at once")
            if not self._run_batch(batch, most) and len(batch) > 1:
                batches += [batch[: len(batch) // 2], batch[len(batch) // 2 :]]

    def _subject(self) -> PlainModel:
        """Return the model that checks what is weakened, and nothing else."""
        model = self._model.only([each.name for each in self._choice.properties])
        return replace(model, config=replace(model.config, check_deadlock=False))

    def _result(self, checked: CheckedSpec) -> WeakenedModel:
        seen = self._seen
        verdicts = [
            verdict_on(prop, each, seen, self._mutants)
            if each.number in self._asked
            else WeakeningVerdict(
                each, Judged.UNDECIDED, why=f"at most {MOST_WEAKENINGS} weakenings are asked for"
            )
            for prop in self._choice.properties
            for each in prop.weakenings
        ]
        return WeakenedModel(
            self._choice,
            tuple(verdicts),
            len(self._mutants),
            len(seen.whole),
            len(seen.no_judge),
            {prop.name: len(seen.violators(prop)) for prop in self._choice.properties},
            checked.result.distinct or 0,
            self._tlc.runs,
            self._tlc.seconds,
        )

    def _open(self, *about: About) -> list[tuple[WeakenedProperty, list[PlainWeakening]]]:
        """Return the properties about some of these, with their weakenings that are still to be asked for."""
        found = [
            (prop, [w for w in prop.weakenings if w.number in self._asked and self._seen.is_open(prop, w)])
            for prop in self._choice.properties
            if prop.about in about
        ]
        return [(prop, weakenings) for prop, weakenings in found if weakenings]

    # -- runs -------------------------------------------------------------------------------------------------------

    def _require_control(self, checked: CheckedSpec, most: int) -> None:
        """Require that the spec is beside its mutants what it is alone. Raises IncompleteError."""
        for _ in range(MOST_RUNS):
            with self._tlc.batch(self._watching(), {0}, most, dump=False) as run:
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
            if not self._open(*About) or not alive:
                return True
            began = self._tlc.seconds
            with self._tlc.batch(self._watching(), {0, *alive}, most, dump=False) as run:
                self._take(run)
            if run.result.outcome is Outcome.SUCCESS:
                seen.whole |= alive - seen.grown
                return True
            if run.result.ended_by is EndedBy.TIMEOUT:
                return False
            if not (self._leave_out_refused(run) or self._leave_out_unevaluated(run)):
                raise IncompleteError(
                    f"the mutants could not be run: {run.result.error_text[:600]}",
                    where=self._model.name,
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
        self._seen.refused |= {-number for number in bad if number < 0}
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
        for line in run.said:
            if found := _SEEN.fullmatch(line):
                self._seen.not_hold.add((int(found[1]), int(found[2])))
            elif found := _GROWN.fullmatch(line):
                self._seen.grown.add(int(found[1]))
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
        numbers = {-tag for line, tag in run.of_line.items() if line in lines and tag < 0}
        for prop in self._choice.properties:
            for each in prop.weakenings:
                if each.number in numbers:
                    self._seen.unevaluated[each.number] = mutant
                    return True
        for prop in self._choice.properties:
            if prop.number in numbers:
                self._seen.unasked.add((mutant, prop.number))
                return True
        return False

    # -- the module -------------------------------------------------------------------------------------------------

    def _watching(self) -> MutantModule:
        """Return the module of the mutants that watches the properties, and where they do not hold the weakenings."""
        first = 8002 + 2 * len(self._mutants)
        width = len(self._mutants) + 1
        rows: dict[bool, list[str]] = {False: [], True: []}
        definitions = list(self._module.definitions)
        followed: list[str] = []
        last = first
        for prop, weakenings in self._open(About.STATES, About.STEPS):
            asked = []
            definitions.append((f"{OWN}Whole{prop.number} == {prop.formula}", -prop.number))
            for each in weakenings:
                base = f"{first + each.number * width}, {MUTANT}"
                definitions.append((f"{OWN}Weak{each.number} == {each.formula}", -each.number))
                asked.append(f"{OWN}Asked({base}, {each.number}, {OWN}Weak{each.number})")
                followed.append(f"{OWN}WasSeen({base})")
                last = max(last, first + (each.number + 1) * width)
            base = f"{first + prop.number * width}, {MUTANT}"
            seen = f"{OWN}Seen({base}, {prop.number})"
            told = _conjunction([seen, *asked])
            whole = f"{OWN}Whole{prop.number}"
            rows[prop.about is About.STEPS].append(f"  /\\ {self._without(prop)}{whole} \\/ ({told})")
        begin = f"ASSUME {OWN}Unseen({first}, {last})"
        if followed and not self._open(About.BEHAVIOURS):
            rows[False].append(f"  /\\ ~({_conjunction(followed)})")
        return replace(
            self._module,
            definitions=[(begin, None), *definitions],
            states=rows[False],
            steps=rows[True],
        )

    def _without(self, prop: WeakenedProperty) -> str:
        mutants = sorted(mutant for mutant, number in self._seen.unasked if number == prop.number)
        return f"{MUTANT} \\in {{{', '.join(map(str, mutants))}}} \\/ " if mutants else ""


def _conjunction(formulas: Sequence[str]) -> str:
    return " /\\ ".join(formulas)
