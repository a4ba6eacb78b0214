"""TLC on the mutants of a model: many in one run, within what is left of the time, and at which of them it failed."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.models.spec_check import CheckedSpec, check_plain
from pyharness.models.verdicts import Verdict
from pyharness.mutants.properties.root_run import run_lines
from pyharness.mutants.specs.one_module import BEGINS, FAIRLY, FOLLOWING, MUTANT, NOW, WATCH, WATCH_STEPS
from pyharness.tla.tlc import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    from pyharness.models.machine_tools import Tools
    from pyharness.models.spec_check import Bounds
    from pyharness.mutants.properties.root_run import RootRun
    from pyharness.mutants.specs.one_module import MutantModule
    from pyharness.tla.plain_models.config_file import ConfigFile
    from pyharness.tla.plain_models.plain_model import PlainModel
    from pyharness.tla.tlc import Result

MOST_STATES: Final = 30_000
"""Distinct states of a spec beyond which its mutants are not run."""

AT_ONCE: Final = 150_000
"""States of all mutants of one run, if each has as many as the spec."""

MOST_AT_ONCE: Final = 40
"""Mutants of one run: as TLC starts it looks through the operators that each calls, again for each place."""

MOST_RUNS: Final = 100
"""The most runs of a batch, each without what TLC could not evaluate before."""

_MORE_LOOKS: Final = 100_000
"""States that are looked at, together, of the mutants whose graphs grow to more than eight times the spec's."""

_LEAST_SECONDS: Final = 10
_OF_PROPERTIES: Final = (Outcome.TEMPORAL, Outcome.ACTION_PROPERTY, Outcome.INVARIANT)
"""TLC's outcomes for a violated property: of ``[]P`` as if it were an invariant."""

_UNEVALUATED: Final = (
    Outcome.EVALUATION_ERROR,
    Outcome.STACK_OVERFLOW,
    Outcome.ASSERTION,
    Outcome.TOOL_ERROR,
    Outcome.CONFIG_ERROR,  # TLC's outcome for a variable without a value
)


def cannot_run(run: RootRun) -> set[int] | None:
    """Return the mutants at which a run failed, or ``None`` if that is not known."""
    if run.result.outcome is Outcome.PARSE_ERROR:
        return run.refused() or None
    if run.result.outcome not in _UNEVALUATED:
        return None
    numbers = [line[len(NOW) :].partition(">")[0] for line in run.output if line.startswith(NOW)]
    last = int(numbers[-1]) if numbers and numbers[-1].isdigit() and len(numbers[-1]) < 19 else 0
    return {last} if last else None


def most_looks(checked: CheckedSpec) -> int:
    """Return how often states of a mutant are looked at: eight times as often as those of the spec, and some."""
    return 8 * (checked.result.generated or 0) + 1000


def more_looks(most: int, mutants: int) -> int:
    """Return how often states of each of some mutants are looked at again, whose graphs grew beyond the bound."""
    return max(most, _MORE_LOOKS // mutants)


class MutantTlc:
    """Runs TLC for a ``model``, which it has without its symmetry; ``runs`` counts how often.

    Raises SpecError for a model whose states cannot be compared.
    """

    def __init__(self, model: PlainModel, tools: Tools, bounds: Bounds) -> None:
        if model.config.view:
            raise SpecError(
                f"states are compared, and under VIEW {model.config.view} several count as one",
                where=model.config.where,
                hint="give a configuration without a VIEW",
            )
        self.model = replace(model, config=replace(model.config, symmetry=""))
        self.runs = 0
        self._tools = tools
        self._bounds = bounds
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """The seconds since it was made."""
        return time.monotonic() - self._began

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self._bounds.seconds - self.seconds

    def checked(self, model: PlainModel, option: str = "--property") -> CheckedSpec:
        """Check the model itself, or less of it, as an option of the command can name it.

        Raises IncompleteError where it does not pass, or is too large.
        """
        bounds = replace(self._bounds, seconds=max(self.left, 1))
        checked = check_plain(model, self._tools, bounds, expressions=True)
        if checked.verdict is not Verdict.PASS:
            raise IncompleteError(
                f"the spec itself does not pass, so a mutant has nothing to differ from: {checked.verdict.text}"
                + (f" of {checked.violated}" if checked.violated else "")
                + (f": {checked.reason}" if checked.reason else ""),
                where=model.name,
                hint=f"pyharness check shows more; {option} names those to ask for",
            )
        if (checked.result.distinct or 0) > MOST_STATES:
            raise IncompleteError(
                f"the spec has {checked.result.distinct:,} states, and mutants are run up to {MOST_STATES:,}",
                where=model.name,
                hint="give smaller constants: --config, --constant",
            )
        return checked

    def in_halves(
        self,
        mutants: Sequence[int],
        size: int,
        run: Callable[[Sequence[int]], bool],
        progress: Callable[[str], None],
    ) -> None:
        """Run mutants, ``size`` at once, while there is time; those of an unfinished run again in halves."""
        batches = [mutants[first : first + size] for first in range(0, max(len(mutants), 1), size)]
        while batches and self.left >= 1:
            batch = batches.pop(0)
            progress(f"{len(batch)} of {len(mutants)} mutants at once")
            if not run(batch) and len(batch) > 1:
                batches += [batch[: len(batch) // 2], batch[len(batch) // 2 :]]

    def batch(
        self,
        module: MutantModule,
        alive: Collection[int],
        most: int,
        *,
        dump: bool = True,
    ) -> AbstractContextManager[RootRun]:
        """Run some mutants at once, and watch what they do; the graph is gone afterwards.

        The run has a part of the time that is left, and ten seconds at least: one mutant may take all of it.
        """
        config = replace(
            self.model.config,
            specification="",
            init=BEGINS,
            next=FOLLOWING,
            invariants=(),
            properties=(),
            constraints=(*self.model.config.constraints, WATCH),
            action_constraints=(*self.model.config.action_constraints, WATCH_STEPS),
        )
        seconds = min(self.left, max(_LEAST_SECONDS, 0.6 * self.left))
        return self.run(config, *module.text_with(alive, most), dump=dump, seconds=seconds)

    def fairly(
        self, module: MutantModule, alive: Collection[int], properties: Sequence[str]
    ) -> tuple[Result, int | None]:
        """Check temporal properties of the root in mutants, up to the first violation.

        Returns TLC's result, and the number of the mutant; ``None`` if none violates one, or the run did not finish.
        """
        config = replace(
            self.model.config,
            specification=FAIRLY,
            init="",
            next="",
            invariants=(),
            properties=tuple(properties),
        )
        with self.run(config, *module.text_with(alive, 0)) as run:
            result = run.result
        number = result.trace.steps[0].state.get(MUTANT) if result.trace else None
        return result, int(str(number)) if result.outcome in _OF_PROPERTIES and number in alive else None

    def run(
        self,
        config: ConfigFile,
        lines: Sequence[str] = (),
        of_line: Mapping[int, int] | None = None,
        *,
        dump: bool = False,
        seconds: float | None = None,
    ) -> AbstractContextManager[RootRun]:
        """Run TLC on the model's root with further lines, under another configuration."""
        self.runs += 1
        return run_lines(
            self.model,
            self._tools,
            config,
            lines,
            of_line or {},
            dump=dump,
            heap_mib=self._bounds.heap_mib,
            timeout=seconds or max(self.left, 1),
        )
