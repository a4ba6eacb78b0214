"""The weakenings of any spec's properties, asked of the mutants of the spec: many of both in one run of TLC.

Where a property does not hold each of its weakenings is evaluated; so each is known to be violated by a mutant, or not,
once the run is through. A temporal property is asked for in runs of its own, of mutants that were followed to
their end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import IncompleteError
from pyharness.mutants.properties.watching import ITSELF, Changed, all_of
from pyharness.mutants.specs.followed_mutants import FollowedMutants
from pyharness.mutants.specs.mutant_tlc import MOST_RUNS, most_looks
from pyharness.mutants.trial import Trial, Verdict
from pyharness.tla.plain_models.plain_model import OWN
from pyharness.tla.tlc import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pyharness.models.machine_tools import Tools
    from pyharness.models.spec_check import Bounds, CheckedSpec
    from pyharness.mutants.properties.watching import Formula
    from pyharness.mutants.specs.followed_mutants import Asked
    from pyharness.tla.plain_models.plain_model import PlainModel

MOST_WEAKENINGS: Final = 500
"""The most weakenings of a spec that are asked for; further ones are reported as not decided."""


@dataclass(frozen=True)
class WeakenedModel:
    """The ``trials`` of the weakenings of a model, in the order of the text, and ``notes`` on those that were not asked.

    ``heading`` has the numbers of mutants that judged and of runs of TLC.
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

    ``progress`` is called with the progress. Symmetry is left out, and deadlock is not looked for.

    Raises SpecError for a model that has no mutants, or no states to compare; IncompleteError where there is nothing to
    weaken, the spec itself does not pass or is too large, or is another one beside its mutants.
    """
    return _Weakening(model, tools, bounds, progress, only).done()


class _Weakening(FollowedMutants):
    def __init__(
        self,
        model: PlainModel,
        tools: Tools,
        bounds: Bounds,
        progress: Callable[[str], None] | None,
        only: str,
    ) -> None:
        super().__init__(model, tools, bounds, progress, only)
        left, self._weakened, self._beyond = MOST_WEAKENINGS, list[Changed](), list[Trial]()
        for one in self._properties:
            if asked := one.changes[:left]:
                self._weakened.append(replace(one, changes=asked))
            why = f"at most {MOST_WEAKENINGS} weakenings are asked for"
            self._beyond += [
                Trial(each.key, each.change, Verdict.INCOMPLETE, why=why) for each in one.changes[left:]
            ]
            left -= len(asked)
        self._left_out = [f"{one.name}: {one.left_out}" for one in self._properties if one.left_out]
        self._seen.unfollowed = {
            (mutant, (one.name, index))
            for one in self._weakened
            if one.kind == "behaviour"
            for index in range(ITSELF, len(one.changes))
            for mutant in self._mutants
        }
        self._require_subjects(only)

    def _require_subjects(self, only: str) -> None:
        if not self._weakened:
            left_out = "; ".join(self._left_out)
            raise IncompleteError(
                f"nothing is weakened, so there is no verdict{': ' if left_out else ''}{left_out[:600]}",
                where="--only" if only else self._model.name,
                hint="an INVARIANT, or a property of the module's own, can be weakened",
            )
        if not self._mutants:
            raise IncompleteError(
                "no place of the spec is changed, so no mutant judges",
                where=self._model.name,
                hint="pyharness mutate shows which definitions are changed",
            )

    def done(self) -> WeakenedModel:
        self._progress("the spec itself")
        checked = self._tlc.checked(self._subject(), option="--only")
        self._require_control(checked)
        self._follow(list(self._mutants), checked)
        for one, indices in self._open("behaviour"):
            self._ask_of_behaviours(one, indices)
        return self._result(checked)

    def _ask_of_behaviours(self, one: Changed, indices: Sequence[int]) -> None:
        """Look for the mutants that violate a temporal property, and ask these for its weakenings.

        Of a weakening one that does not violate it is enough: first are those that were that of another one.
        """
        judges = self._ask(
            (one.name, ITSELF), one.formula, {0, *self._seen.complete}, max(self._tlc.left / 2, 1)
        )
        for number, index in enumerate(indices, start=1):
            self._progress(f"{number} of {len(indices)} weakenings of {one.name}")
            for mutant in list(judges):
                if self._tlc.left < 1:
                    return
                self._ask((one.name, index), one.changes[index].formula, {mutant})
                if not self._seen.is_open((one.name, index)):
                    judges.remove(mutant)
                    judges.insert(0, mutant)
                    break

    def _ask(self, asked: Formula, text: str, mutants: Collection[int], until: float = 0) -> list[int]:
        """Return the mutants that violate a formula about behaviours; that others do not is known if TLC ends.

        Raises IncompleteError if one of them is the spec itself.
        """
        name = f"{OWN}Lasting"
        module = replace(self._module, definitions=[*self._module.definitions, (f"{name} == {text}", None)])
        violated, hold = self._violators(module, mutants, [name], until)
        self._seen.not_hold |= {(mutant, asked) for mutant in violated}
        self._seen.unfollowed -= {(mutant, asked) for mutant in (*violated, *hold)}
        self._require_right_spec()
        return list(violated)

    def _subject(self) -> PlainModel:
        """Return the model that checks what is weakened, and nothing else."""
        model = self._model.only([one.name for one in self._weakened])
        return replace(model, config=replace(model.config, check_deadlock=False))

    def _result(self, checked: CheckedSpec) -> WeakenedModel:
        seen, mutants, tlc, notes = self._seen, self._mutants, self._tlc, []
        trials = [
            seen.trial(change, (one.name, index), mutants)
            for one in self._weakened
            for index, change in enumerate(one.changes)
        ]
        trials += self._beyond
        late = len(mutants) - len(seen.complete) - len(seen.not_judges)
        if seen.not_judges:
            notes.append(f"{len(seen.not_judges)} mutants do not judge, as TLC cannot take them")
        if late:
            notes.append(f"{late} mutants were not followed to their end")
        config = self._model.config
        if cuts := (*config.constraints, *config.action_constraints):
            notes.append(f"nothing beyond {', '.join(cuts)} was looked at")
        notes += [f"left out: {each}" for each in self._left_out]
        return WeakenedModel(
            tuple(trials),
            f"{self._model.heading}, {checked.result.distinct or 0:,} states: {len(trials)} weakenings, "
            f"{len(seen.complete)} of {len(mutants)} mutants judge, {tlc.runs} runs of TLC, {tlc.seconds:.0f} s",
            tuple(notes),
        )

    def _open(self, *kinds: str) -> Asked:
        """Return the properties of some of these kinds, with their weakenings that are still to be asked for."""
        found = [
            (one, [i for i in range(len(one.changes)) if self._seen.is_open((one.name, i))])
            for one in self._weakened
            if one.kind in kinds
        ]
        return [(one, indices) for one, indices in found if indices]

    # -- runs -------------------------------------------------------------------------------------------------------

    def _asked(self) -> Asked:
        return self._open("state", "step")

    def _over(self, asked: Asked) -> str:
        """A mutant is followed until each weakening was seen to be violated, if behaviours are not asked for."""
        if self._open("behaviour"):
            return ""
        return all_of(
            self._watching.was_seen((one.name, index)) for one, indices in asked for index in indices
        )

    def _is_settled(self) -> bool:
        return not self._open("state", "step", "behaviour")

    def _require_control(self, checked: CheckedSpec) -> None:
        """Require that the spec is beside its mutants what it is alone. Raises IncompleteError."""
        for _ in range(MOST_RUNS):
            with self._batch({0}, most_looks(checked)) as run:
                self._take(run, ())
            if run.result.outcome is not Outcome.PARSE_ERROR or not self._leave_out(run):
                break
        result = run.result
        if result.outcome is not Outcome.SUCCESS or result.distinct != checked.result.distinct:
            raise IncompleteError(
                "the spec beside its mutants is not what it is alone, so nothing that was found counts: "
                f"{result.error_text[:400] or f'{result.distinct} states, alone {checked.result.distinct}'}",
                where=self._model.name,
                hint="please report it, with the spec",
            )
