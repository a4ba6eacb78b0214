"""All mutants of a spec run in TLC, many at once, and the verdict on each: in one model, or in several in turn.

The mutant 0 is the spec itself: its graph must be the one that TLC writes of the spec alone, or nothing that was found
counts. A mutant that TLC cannot evaluate, or SANY refuses, is left out, and the others run again.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import IncompleteError
from pyharness.mutants.specs.mutant_graph import UNEVALUATED, WHOLE, split_graph, trial_of
from pyharness.mutants.specs.mutant_tlc import (
    AT_ONCE,
    MOST_AT_ONCE,
    MOST_RUNS,
    MutantTlc,
    more_looks,
    most_looks,
)
from pyharness.mutants.specs.one_module import mutant_module
from pyharness.mutants.trial import Trial, Verdict
from pyharness.tla.plain_models.plain_model import OWN
from pyharness.tla.tlc import EndedBy, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pyharness.models.machine_tools import Tools
    from pyharness.models.spec_check import Bounds
    from pyharness.mutants.specs.mutant_graph import MutantGraph
    from pyharness.mutants.specs.one_module import MutantModule
    from pyharness.tla.plain_models.plain_model import PlainModel

_NOTICED: Final = re.compile(rf'<<"{OWN}Noticed", (\d{{1,18}}), (\d{{1,18}})>>')


@dataclass(frozen=True)
class MutatedSpec:
    """The ``trials`` of the mutants of a spec, in the order of the text.

    ``runs`` says how often TLC ran, ``states`` and ``steps`` are those of the spec, in all of its ``models``.
    """

    trials: tuple[Trial, ...]
    runs: int
    seconds: float
    states: int
    steps: int
    models: int = 1


@dataclass
class _Found:
    """What the runs found: by which watched property mutants were noticed, which could not run, and graphs.

    ``lived`` are mutants that a property of whole behaviours notices, ``unasked`` those that were not asked for these.
    """

    noticed: dict[int, int] = field(default_factory=dict)
    lived: dict[int, str] = field(default_factory=dict)
    unasked: set[int] = field(default_factory=set)
    refused: set[int] = field(default_factory=set)
    unevaluated: set[int] = field(default_factory=set)
    graphs: dict[int, MutantGraph] = field(default_factory=dict)


_OPEN: Final = (Verdict.NOTICED, Verdict.INCOMPLETE, Verdict.SURVIVES, Verdict.EQUIVALENT)
"""The verdict on a mutant in several models: the first of these that is one in any of them."""


def mutate_in_turn(
    models: Sequence[PlainModel], tools: Tools, bounds: Bounds, progress: Callable[[str], None] | None = None
) -> MutatedSpec:
    """Run the mutants of a spec in its first model, those that nothing noticed there in the next, and so on.

    All of it is within ``bounds``. A mutant is noticed if it is in one of the models, and the same if it is in all.
    What a property of a model reads is not changed there, and in the others it is.

    Raises what ``mutate`` does.
    """
    found: dict[tuple[str, str], Trial] = {}
    done: list[MutatedSpec] = []
    for number, model in enumerate(models, start=1):
        prefix = f"model {number} of {len(models)}: " if len(models) > 1 else ""
        left = replace(bounds, seconds=max(1, round(bounds.seconds - sum(each.seconds for each in done))))
        settled = {key for key, trial in found.items() if trial.verdict is Verdict.NOTICED}
        follow = partial(_with_prefix, progress, prefix) if progress else None
        ran = mutate(model, tools, left, follow, but=settled)
        done.append(ran)
        for trial in ran.trials:
            both = (found.get(trial.key, trial), trial)
            found[trial.key] = min(both, key=lambda each: _OPEN.index(each.verdict))
    return MutatedSpec(
        tuple(found.values()),
        sum(each.runs for each in done),
        sum(each.seconds for each in done),
        sum(each.states for each in done),
        sum(each.steps for each in done),
        len(done),
    )


def _with_prefix(progress: Callable[[str], None], prefix: str, text: str) -> None:
    progress(f"{prefix}{text}")


def mutate(
    model: PlainModel,
    tools: Tools,
    bounds: Bounds,
    progress: Callable[[str], None] | None = None,
    *,
    but: Collection[tuple[str, str]] = (),
) -> MutatedSpec:
    """Check a model, then run all its mutants, within ``bounds``, and tell what each came to, ``but`` those with a key.

    ``progress`` is told how far that is. Symmetry is left out: it chooses states that cannot be compared.

    Raises SpecError for a model that cannot be mutated, IncompleteError where the spec itself is no pass, is too large,
    or its graph is not the one that was found beside the mutants.
    """
    return _Mutation(model, tools, bounds, progress or (lambda _: None)).done(but)


class _Mutation:
    def __init__(
        self, model: PlainModel, tools: Tools, bounds: Bounds, progress: Callable[[str], None]
    ) -> None:
        self._tlc = MutantTlc(model, tools, bounds)
        self._model = self._tlc.model
        self._progress = progress
        self._found = _Found()

    def done(self, but: Collection[tuple[str, str]]) -> MutatedSpec:
        module = mutant_module(self._model)
        subject = self._model.subject
        mutants = [m for m in module.mutants if (f"{subject}.{m.definition}", m.change) not in but]
        self._progress("the spec itself")
        checked = self._tlc.checked(self._model)
        most = most_looks(checked)
        plain = self._plain_graph()
        everyone = [each.number for each in mutants]
        size = min(MOST_AT_ONCE, max(1, AT_ONCE // max(1, len(plain.states))))
        self._run_all(module, everyone, size, most, plain)
        grown = [number for number, by in self._found.noticed.items() if by not in module.watched]
        if grown and self._tlc.left >= 1:
            for number in grown:
                del self._found.noticed[number]
                self._found.graphs.pop(number, None)
            self._run_all(module, grown, len(grown), more_looks(most, len(grown)), plain)
        self._run_fairly(module, plain)
        deadlock = self._model.config.check_deadlock and not self._is_cut() and not plain.dead_ends()
        trials = tuple(
            trial_of(
                subject,
                mutant,
                plain,
                self._found.graphs.get(mutant.number),
                noticed=self._noticed_by(module, mutant.number),
                deadlock=deadlock,
                checked=checked,
                refused=mutant.number in self._found.refused,
                unasked=mutant.number in self._found.unasked,
            )
            for mutant in mutants
        )
        return MutatedSpec(trials, self._tlc.runs, self._tlc.seconds, len(plain.states), len(plain.steps))

    def _run_all(
        self, module: MutantModule, mutants: Sequence[int], size: int, most: int, plain: MutantGraph
    ) -> None:
        self._tlc.in_halves(
            mutants, size, lambda batch: self._run_batch(module, batch, most, plain), self._progress
        )

    def _noticed_by(self, module: MutantModule, number: int) -> str:
        if number in self._found.unevaluated:
            return UNEVALUATED
        if number in self._found.lived:
            return self._found.lived[number]
        by = self._found.noticed.get(number)
        return "" if by is None else module.watched.get(by, "?")

    def _is_cut(self) -> bool:
        return bool(self._model.config.constraints or self._model.config.action_constraints)

    def _plain_graph(self) -> MutantGraph:
        config = replace(self._model.config, invariants=(), properties=())
        with tempfile.TemporaryDirectory(prefix="pyharness-mutants-") as directory:
            result = self._tlc.run(Path(directory), self._model.root(), config.text())
            if result.outcome is not Outcome.SUCCESS:
                raise IncompleteError(
                    f"the graph of the spec itself is not whole: {result.error_text}", where=self._model.name
                )
            return split_graph(Path(directory) / "graph.dot")[0]

    def _run_batch(self, module: MutantModule, numbers: Sequence[int], most: int, plain: MutantGraph) -> bool:
        """Run some mutants, again without those that cannot be run; tell whether all others ran to their end."""
        alive = set(numbers)
        for _ in range(MOST_RUNS):
            if self._tlc.left < 1:
                return False
            with self._tlc.batch(module, {0, *alive}, most) as run:
                if run.result.outcome is Outcome.SUCCESS:
                    self._take(run.said, alive, run.dump, plain)
                    return True
                self._take_noticed(run.said)
                if run.result.ended_by is EndedBy.TIMEOUT:
                    return False
                bad = run.cannot_run()
            if bad is None:
                raise IncompleteError(
                    f"the mutants could not be run: {run.result.error_text[:600]}", where=self._model.name
                )
            if run.result.outcome is Outcome.PARSE_ERROR:
                self._found.refused |= bad
            else:
                self._found.unevaluated |= bad
            alive -= bad | set(self._found.noticed)
        return False

    def _run_fairly(self, module: MutantModule, plain: MutantGraph) -> None:
        """Ask the mutants that nothing noticed, all at once, for what is said of whole behaviours.

        A violation names one of them; the others are asked again. What is the same needs no asking, if it is as fair.
        """
        found = self._found
        left = {
            number
            for number, graph in found.graphs.items()
            if number not in found.noticed and not graph.is_same(plain)
        }
        if not module.unwatched:
            return
        found.unasked = set(left)
        while left and self._tlc.left > 1:
            self._progress(f"{len(left)} mutants, in what they do for ever")
            result, number = self._tlc.fairly(module, left, module.unwatched)
            if result.outcome is Outcome.SUCCESS:
                found.unasked -= left
                return
            if number is None:
                return
            by = result.violated or (module.unwatched[0] if len(module.unwatched) == 1 else WHOLE)
            found.lived[number] = by
            found.unasked.discard(number)
            left.discard(number)

    def _take(self, said: Sequence[str], alive: set[int], dump: Path, plain: MutantGraph) -> None:
        graphs = split_graph(dump)
        control = graphs.get(0)
        if control is None or not control.is_same(plain):
            raise IncompleteError(
                "the spec beside its mutants has not the graph that it has alone, so nothing that was found counts",
                where=self._model.name,
                hint="please report it, with the spec",
            )
        self._take_noticed(said)
        for number in alive:
            self._found.graphs[number] = graphs.get(number) or type(control)()

    def _take_noticed(self, said: Sequence[str]) -> None:
        for found in map(_NOTICED.fullmatch, said):
            if found:
                self._found.noticed.setdefault(int(found[1]), int(found[2]))
