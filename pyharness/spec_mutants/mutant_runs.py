"""All mutants of a model run in TLC, many at once, and what each came to.

The mutant 0 is the spec itself: its graph must be the one that TLC writes of the spec alone, or nothing that was found
counts. A mutant that TLC cannot evaluate, or SANY refuses, is left out, and the others run again.
"""

from __future__ import annotations

import re
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.any_spec.plain_model import OWN, ROOT
from pyharness.any_spec.plain_run import run_root
from pyharness.any_spec.spec_check import CheckedSpec, check_plain
from pyharness.errors import IncompleteError, SpecError
from pyharness.run.verdicts import Verdict
from pyharness.spec_mutants.mutant_verdict import UNEVALUATED, WHOLE, MutantVerdict, verdict_of
from pyharness.spec_mutants.one_module import (
    BEGINS,
    FAIRLY,
    FOLLOWING,
    MUTANT,
    TOLD,
    WATCH,
    WATCH_STEPS,
    mutant_module,
)
from pyharness.spec_mutants.split_graph import split_graph
from pyharness.tlc import EndedBy, Outcome
from pyharness.tlc.spec_problems import spec_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyharness.any_spec.plain_model import PlainModel
    from pyharness.any_spec.spec_check import Bounds
    from pyharness.run.machine_tools import Tools
    from pyharness.spec_mutants.one_module import MutantModule
    from pyharness.spec_mutants.split_graph import MutantGraph
    from pyharness.tlc import Result

__all__ = ["MOST_STATES", "MutatedModel", "mutate"]

MOST_STATES: Final = 30_000
"""Distinct states of a spec beyond which its mutants are not run: their graphs are compared in memory."""

_AT_ONCE: Final = 150_000
"""States of all mutants of one run, if each has as many as the spec."""

_NOTICED: Final = re.compile(rf'<<"{OWN}Noticed", (\d+), (\d+)>>')
_MOST_RUNS: Final = 100
_LEAST_SECONDS: Final = 10
_UNEVALUATED: Final = (
    Outcome.EVALUATION_ERROR,
    Outcome.STACK_OVERFLOW,
    Outcome.ASSERTION,
    Outcome.TOOL_ERROR,
    Outcome.CONFIG_ERROR,  # as which TLC tells of a variable without a value
)


@dataclass(frozen=True)
class MutatedModel:
    """What the mutants of a model came to: a verdict for each, in the order of the text.

    ``checked`` is the check of the spec itself, ``unwatched`` the properties about whole behaviours, which are asked
    for last, ``runs`` how often TLC ran, ``states`` and ``steps`` those of the spec.
    """

    checked: CheckedSpec
    verdicts: tuple[MutantVerdict, ...]
    unwatched: tuple[str, ...]
    runs: int
    seconds: float
    states: int
    steps: int

    @property
    def unnoticed(self) -> tuple[MutantVerdict, ...]:
        """The mutants that nothing notices."""
        return tuple(each for each in self.verdicts if each.is_unnoticed)


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


def mutate(
    model: PlainModel, tools: Tools, bounds: Bounds, progress: Callable[[str], None] | None = None
) -> MutatedModel:
    """Check a model, then run all its mutants, within ``bounds``, and tell what each came to.

    ``progress`` is told how far that is. Symmetry is left out: it chooses states that cannot be compared.

    Raises SpecError for a model that cannot be mutated, IncompleteError where the spec itself is no pass, is too large,
    or its graph is not the one that was found beside the mutants.
    """
    return _Mutation(model, tools, bounds, progress or (lambda _: None)).done()


class _Mutation:
    def __init__(
        self, model: PlainModel, tools: Tools, bounds: Bounds, progress: Callable[[str], None]
    ) -> None:
        if model.config.view:
            raise SpecError(
                f"states are compared, and under VIEW {model.config.view} several count as one",
                where=model.config.where,
                hint="give a configuration without a VIEW",
            )
        self._model = replace(model, config=replace(model.config, symmetry=""))
        self._tools = tools
        self._bounds = bounds
        self._progress = progress
        self._began = time.monotonic()
        self._runs = 0
        self._found = _Found()

    def done(self) -> MutatedModel:
        module = mutant_module(self._model)
        self._progress("the spec itself")
        checked = self._checked()
        most = 8 * (checked.result.generated or 0) + 1000
        plain = self._plain_graph()
        everyone = [each.number for each in module.mutants]
        size = max(1, _AT_ONCE // max(1, len(plain.states)))
        batches = [everyone[first : first + size] for first in range(0, max(len(everyone), 1), size)]
        while batches and self._left() >= 1:
            batch = batches.pop(0)
            self._progress(f"{len(batch)} of {len(everyone)} mutants at once")
            if not self._run_batch(module, batch, most, plain) and len(batch) > 1:
                batches += [batch[: len(batch) // 2], batch[len(batch) // 2 :]]
        self._run_fairly(module, plain)
        deadlock = self._model.config.check_deadlock and not self._is_cut() and not plain.dead_ends()
        verdicts = tuple(
            verdict_of(
                mutant,
                plain,
                self._found.graphs.get(mutant.number),
                noticed=self._noticed_by(module, mutant.number),
                deadlock=deadlock,
                checked=checked,
                refused=mutant.number in self._found.refused,
                unasked=mutant.number in self._found.unasked,
            )
            for mutant in module.mutants
        )
        seconds = time.monotonic() - self._began
        return MutatedModel(
            checked,
            verdicts,
            tuple(module.unwatched),
            self._runs,
            seconds,
            len(plain.states),
            len(plain.steps),
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

    def _left(self) -> float:
        return self._bounds.seconds - (time.monotonic() - self._began)

    def _checked(self) -> CheckedSpec:
        checked = check_plain(self._model, self._tools, self._bounds)
        if checked.verdict is not Verdict.PASS:
            raise IncompleteError(
                f"the spec itself is no pass, so a mutant has nothing to differ from: {checked.verdict.text}"
                + (f" of {checked.violated}" if checked.violated else "")
                + (f": {checked.reason}" if checked.reason else ""),
                where=self._model.path.name,
                hint="pyharness check says more; --property names those to ask for",
            )
        if (checked.result.distinct or 0) > MOST_STATES:
            raise IncompleteError(
                f"the spec has {checked.result.distinct:,} states, and mutants are run up to {MOST_STATES:,}",
                where=self._model.path.name,
                hint="give smaller constants: --config, --constant",
            )
        return checked

    def _plain_graph(self) -> MutantGraph:
        config = replace(self._model.config, invariants=(), properties=())
        with tempfile.TemporaryDirectory(prefix="pyharness-mutants-") as directory:
            result = self._tlc(Path(directory), self._model.root(), config.text())
            if result.outcome is not Outcome.SUCCESS:
                raise IncompleteError(
                    f"the graph of the spec itself is not whole: {result.error_text}",
                    where=self._model.path.name,
                )
            return split_graph(Path(directory) / "graph.dot")[0]

    def _run_batch(self, module: MutantModule, numbers: Sequence[int], most: int, plain: MutantGraph) -> bool:
        """Run some mutants, again without those that cannot be run; tell whether all others ran to their end.

        A run has a part of the time that is left, and ten seconds at least: one mutant may take all of it.
        """
        alive = set(numbers)
        config = replace(
            self._model.config,
            specification="",
            init=BEGINS,
            next=FOLLOWING,
            invariants=(),
            properties=(),
            constraints=(*self._model.config.constraints, WATCH),
            action_constraints=(*self._model.config.action_constraints, WATCH_STEPS),
        )
        refused: set[int] = set()
        for _ in range(_MOST_RUNS):
            if self._left() < 1:
                return False
            with tempfile.TemporaryDirectory(prefix="pyharness-mutants-") as directory:
                lines, of_line = module.text_with({0, *alive}, most, without=refused)
                root = self._model.root(*lines)
                said = Path(directory) / "said.txt"
                seconds = min(self._left(), max(_LEAST_SECONDS, 0.6 * self._left()))
                result = self._tlc(Path(directory), root, config.text(), said=said, seconds=seconds)
                lines_said = said.read_text(encoding="utf-8", errors="replace").splitlines()
                if result.outcome is Outcome.SUCCESS:
                    self._take(lines_said, alive, Path(directory) / "graph.dot", plain)
                    return True
                self._take_noticed(lines_said)
                if result.ended_by is EndedBy.TIMEOUT:
                    return False
                shift = root[: root.index(lines[0])].count("\n")
                of_line = {number + shift + 1: mutant for number, mutant in of_line.items()}
                bad = self._cannot_run(result, of_line, lines_said)
            if bad is None:
                raise IncompleteError(
                    f"the mutants could not be run: {result.error_text[:600]}",
                    where=self._model.path.name,
                )
            if result.outcome is Outcome.PARSE_ERROR:
                refused |= bad
                self._found.refused |= bad
            else:
                self._found.unevaluated |= bad
            alive -= bad
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
        config = replace(
            self._model.config,
            specification=FAIRLY,
            init="",
            next="",
            invariants=(),
            properties=tuple(module.unwatched),
        )
        while left and self._left() > 1:
            self._progress(f"{len(left)} mutants, in what they do for ever")
            lines, _ = module.text_with(left, 0, without=found.refused)
            with tempfile.TemporaryDirectory(prefix="pyharness-mutants-") as directory:
                result = self._tlc(Path(directory), self._model.root(*lines), config.text(), dump=False)
            if result.outcome is Outcome.SUCCESS:
                found.unasked -= left
                return
            number = result.trace.steps[0].state.get(MUTANT) if result.trace else None
            if result.outcome not in (Outcome.TEMPORAL, Outcome.ACTION_PROPERTY) or number not in left:
                return
            by = result.violated or (module.unwatched[0] if len(module.unwatched) == 1 else WHOLE)
            found.lived[int(str(number))] = by
            found.unasked.discard(int(str(number)))
            left.discard(int(str(number)))

    def _cannot_run(self, result: Result, of_line: dict[int, int], said: Sequence[str]) -> set[int] | None:
        """Return the mutants at which a run failed, or ``None`` if that cannot be told."""
        if result.outcome is Outcome.PARSE_ERROR:
            problems = spec_problems(result.complaint)
            return {of_line[p.line] for p in problems if p.module == ROOT and p.line in of_line} or None
        if result.outcome not in _UNEVALUATED:
            return None
        told = [line[len(TOLD) :].partition(">")[0] for line in said if line.startswith(TOLD)]
        last = int(told[-1]) if told and told[-1].isdigit() else 0
        return {last} if last else None

    def _take(self, said: Sequence[str], alive: set[int], dump: Path, plain: MutantGraph) -> None:
        graphs = split_graph(dump)
        control = graphs.get(0)
        if control is None or not control.is_same(plain):
            raise IncompleteError(
                "the spec beside its mutants has not the graph that it has alone, so nothing that was found counts",
                where=self._model.path.name,
                hint="please report it, with the spec",
            )
        self._take_noticed(said)
        for number in alive:
            self._found.graphs[number] = graphs.get(number) or type(control)()

    def _take_noticed(self, said: Sequence[str]) -> None:
        for found in map(_NOTICED.fullmatch, said):
            if found:
                self._found.noticed.setdefault(int(found[1]), int(found[2]))

    def _tlc(
        self,
        work: Path,
        root: str,
        config: str,
        *,
        dump: bool = True,
        said: Path | None = None,
        seconds: float | None = None,
    ) -> Result:
        self._runs += 1
        return run_root(
            self._model,
            self._tools,
            work,
            (root, config),
            output=said,
            heap_mib=self._bounds.heap_mib,
            timeout=seconds or max(self._left(), 1),
            dump=work / "graph.dot" if dump else None,
        )
