"""The mutants of a spec, and the verdict on each: in one model, or in several in turn.

The graph of the spec itself must be beside its mutants the one that TLC writes of it alone, or nothing that was found
counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import IncompleteError
from pyharness.mutants.properties.watching import ITSELF
from pyharness.mutants.specs.followed_mutants import FollowedMutants
from pyharness.mutants.specs.mutant_graph import TEMPORAL, UNEVALUATED, MutantGraph, split_graph, trial_of
from pyharness.mutants.trial import Trial, Verdict
from pyharness.tla.tlc import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pyharness.models.machine_tools import Tools
    from pyharness.models.spec_check import Bounds
    from pyharness.mutants.properties.root_run import RootRun
    from pyharness.mutants.specs.followed_mutants import Asked
    from pyharness.tla.plain_models.plain_model import PlainModel


@dataclass(frozen=True)
class MutatedSpec:
    """The ``trials`` of the mutants of a spec, in the order of the text.

    ``runs`` counts the runs of TLC, ``states`` and ``steps`` are those of the spec, in all of its ``models``.
    """

    trials: tuple[Trial, ...]
    runs: int
    seconds: float
    states: int
    steps: int
    models: int = 1


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
    """Check a model, then run all its mutants, within ``bounds``, and return the verdicts on all ``but`` those with a key.

    ``progress`` is called with the progress. Symmetry is left out: it chooses states that cannot be compared.

    Raises SpecError for a model that cannot be mutated, IncompleteError where the spec itself does not pass, is too large,
    or its graph is not the one that was found beside the mutants.
    """
    return _Mutation(model, tools, bounds, progress).done(but)


class _Mutation(FollowedMutants):
    """``noticed`` has by mutant the first property of states or steps that it violates, ``temporal`` a temporal one."""

    dump = True

    def __init__(
        self, model: PlainModel, tools: Tools, bounds: Bounds, progress: Callable[[str], None] | None
    ) -> None:
        super().__init__(model, tools, bounds, progress)
        self._plain = MutantGraph()
        self._graphs: dict[int, MutantGraph] = {}
        self._noticed: dict[int, str] = {}
        self._temporal: dict[int, str] = {}
        self._temporal_unasked: set[int] = set()

    def done(self, but: Collection[tuple[str, str]]) -> MutatedSpec:
        subject = self._model.subject
        mutants = [m for m in self._module.mutants if (f"{subject}.{m.definition}", m.change) not in but]
        self._progress("the spec itself")
        checked = self._tlc.checked(self._model)
        self._plain = self._plain_graph()
        self._follow([each.number for each in mutants], checked)
        self._run_fairly()
        config = self._model.config
        cut = config.constraints or config.action_constraints
        deadlock = config.check_deadlock and not cut and not self._plain.dead_ends()
        trials = tuple(
            trial_of(
                subject,
                mutant,
                self._plain,
                self._graphs.get(mutant.number),
                noticed=self._noticed_by(mutant.number),
                deadlock=deadlock,
                checked=checked,
                refused=mutant.number in self._seen.unreadable,
                unasked=mutant.number in self._temporal_unasked,
            )
            for mutant in mutants
        )
        return MutatedSpec(
            trials, self._tlc.runs, self._tlc.seconds, len(self._plain.states), len(self._plain.steps)
        )

    def _noticed_by(self, number: int) -> str:
        if by := self._noticed.get(number) or self._temporal.get(number):
            return by
        if number in self._unevaluated():
            return UNEVALUATED
        return "?" if number in self._seen.grown else ""

    def _unevaluated(self) -> set[int]:
        return self._seen.stopped | {mutant for mutant, _ in self._seen.unasked}

    def _asked(self) -> Asked:
        return [(one, []) for one in self._properties if one.kind != "behaviour"]

    def _over(self, asked: Asked) -> str:
        """A mutant that was noticed is not followed further."""
        return " \\/ ".join(self._watching.was_seen((one.name, ITSELF)) for one, _ in asked)

    def _settled(self) -> set[int]:
        return super()._settled() | self._unevaluated() | set(self._noticed)

    def _take(self, run: RootRun, alive: Collection[int]) -> None:
        for found in self._watching.read(run.output):
            self._noticed.setdefault(found.group, found.formula[0])
        super()._take(run, alive)
        if run.result.outcome is not Outcome.SUCCESS:
            return
        graphs = split_graph(run.dump)
        control = graphs.get(0)
        if control is None or not control.is_same(self._plain):
            raise IncompleteError(
                "the spec beside its mutants has not the graph that it has alone, so nothing that was found counts",
                where=self._model.name,
                hint="please report it, with the spec",
            )
        self._graphs |= {number: graphs.get(number) or MutantGraph() for number in alive}

    def _plain_graph(self) -> MutantGraph:
        config = replace(self._model.config, invariants=(), properties=())
        with self._tlc.run(config, dump=True) as run:
            if run.result.outcome is not Outcome.SUCCESS:
                raise IncompleteError(
                    f"the graph of the spec itself is not complete: {run.result.error_text}",
                    where=self._model.name,
                )
            return split_graph(run.dump)[0]

    def _run_fairly(self) -> None:
        """Check the temporal properties in the mutants that nothing noticed, all at once.

        A violation names one of them; the others are asked again. An equal graph need not be checked, if it is as fair.
        """
        names = [one.name for one in self._properties if one.temporal]
        left = {
            number
            for number, graph in self._graphs.items()
            if not self._noticed_by(number) and not graph.is_same(self._plain)
        }
        if not names:
            return
        violated, hold = self._violators(self._module, left, names)
        self._temporal_unasked = left - violated.keys() - hold
        for number, result in violated.items():
            self._temporal[number] = result.violated or (names[0] if len(names) == 1 else TEMPORAL)
