"""Which mutants of the protocols the comparison with the specs notices.

Nothing else of the tool takes part: no property, no replay, no example. Models are tried from the smallest on, and a
mutant is tried on those that run its function until one sees it. Findings are kept, and reused when all that
it depends on is the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.toolchain.code_digest import code_digest
from pyharness.base.toolchain.kept_texts import KeptTexts, name_of_content
from pyharness.gate.jobs.jobs import plan_jobs
from pyharness.mutants.code.code_mutants import CodeMutant, code_mutants
from pyharness.mutants.code.prepared_models import prepare
from pyharness.mutants.code.trials import try_mutants
from pyharness.mutants.trial import NOT_RUN, Trial, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model


_SEEDED: Final = "mutants.py"


def protocol_mutants(root: Path) -> list[CodeMutant]:
    """Return the mutants of all protocols below ``root``; the bugs that are seeded by hand are not mutated."""
    files = sorted(path for path in root.rglob("*.py") if not path.name.endswith(_SEEDED))
    return [mutant for path in files for mutant in code_mutants(path, root)]


@dataclass
class Measurement:
    """The mutants that were tried on the models of some plans.

    ``plans`` are the names of the plans, in order. ``seen`` has for each mutant seen the plan, the model and what was
    different; ``reached`` are the functions that some model runs; ``models`` are name, plan and number of states.
    """

    plans: tuple[str, ...]
    mutants: Sequence[CodeMutant]
    seen: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    reached: set[str] = field(default_factory=set)
    models: list[tuple[str, str, int]] = field(default_factory=list)

    def trials(self) -> list[Trial]:
        """Return the verdict on each mutant; one that the first plan does not see survives, if a larger one sees it."""
        return [self._trial(each) for each in self.mutants]

    def _trial(self, mutant: CodeMutant) -> Trial:
        place = f"{mutant.file}:{mutant.line}"
        if found := self.seen.get(mutant.id):
            plan, model, difference = found
            if plan == self.plans[0]:
                return Trial(*mutant.key, Verdict.NOTICED, model, difference, place)
            return Trial(
                *mutant.key, Verdict.SURVIVES, why=f"{plan} alone notices it", place=place, elsewhere=plan
            )
        why = "in each model that runs it, it does the same" if mutant.subject in self.reached else NOT_RUN
        return Trial(*mutant.key, Verdict.SURVIVES, why=why, place=place)


def measure(
    plans: Sequence[Plan],
    mutants: Sequence[CodeMutant],
    root: Path,
    tools: Tools,
    cache: Path,
    *,
    workers: int = 1,
    say: Callable[[str], None] = lambda _: None,
) -> Measurement:
    """Try mutants on the models of some plans that are compared, one plan after the other.

    Findings are kept in ``cache``.

    Raises what :func:`~pyharness.mutants.code.prepared_models.prepare` does.
    """
    found = Measurement(tuple(plan.name for plan in plans), mutants)
    for plan in plans:
        keys = _keys(plan, tools)
        for model in sorted(compared_models(plan), key=_size):
            kept = _Kept(KeptTexts(cache / "outcomes", "mutants"), keys[model.name])
            _try(model, plan, found, kept, tools, root, workers, say)
    return found


def _try(
    model: Model,
    plan: Plan,
    found: Measurement,
    kept: _Kept,
    tools: Tools,
    root: Path,
    workers: int,
    say: Callable[[str], None],
) -> None:
    unseen = [mutant for mutant in found.mutants if mutant.id not in found.seen]
    ready = None
    if kept.reached is None:
        say(f"{model.name}: preparing")
        ready = prepare(model, plan.library, tools, root)
        kept.begin(ready.size, ready.reached)
    reached = kept.reached or set()
    asked = [mutant for mutant in unseen if mutant.subject in reached]
    waiting = [mutant for mutant in asked if mutant.id not in kept.outcomes]
    if waiting:
        ready = ready or prepare(model, plan.library, tools, root)
        say(f"{model.name}: {len(waiting)} mutants in {ready.size:,} states")
        try_mutants(waiting, ready, root, workers=workers, report=lambda m, text: kept.add(m.id, text))
        kept.write()
    found.models.append((model.name, plan.name, kept.size))
    found.reached |= reached
    for mutant in asked:
        what = kept.outcomes[mutant.id]
        if what is not None:
            found.seen[mutant.id] = (plan.name, model.name, what)


def compared_models(plan: Plan) -> list[Model]:
    """Return the models of a plan that can notice a mutant: those that are compared, and pass."""
    return [m for m in plan.models if m.conform and m.mutant is None and m.expect == "pass"]


def _size(model: Model) -> int:
    return model.pins.distinct if model.pins else 0


def _keys(plan: Plan, tools: Tools) -> dict[str, str]:
    """Return a name for what is found with each model, made of all that it depends on."""
    own = code_digest("base", "tla", "machines", "models", "hold/conformance", "mutants/code")
    ids: dict[str, list[str]] = {}
    for job in plan_jobs(plan, tools):
        if job.kind == "conform":
            ids.setdefault(job.model.name, []).append(job.id)
    return {name: name_of_content(own, *sorted(found)) for name, found in ids.items()}


class _Kept:
    """The findings with one model, kept under its ``name``; written now and then, completely."""

    _OFTEN: Final = 20

    def __init__(self, texts: KeptTexts, name: str) -> None:
        self._texts, self._name = texts, name
        self._new = 0
        given: dict[str, Any] = json.loads(texts.find(name) or "{}")
        self.size: int = given.get("size", 0)
        self.reached: set[str] | None = set(given["reached"]) if "reached" in given else None
        self.outcomes: dict[str, str | None] = given.get("outcomes", {})

    def begin(self, size: int, reached: Iterable[tuple[str, str]]) -> None:
        self.size = size
        self.reached = {f"{file} {function}" for file, function in reached}
        self.write()

    def add(self, mutant: str, text: str | None) -> None:
        self.outcomes[mutant] = text
        self._new += 1
        if self._new % self._OFTEN == 0:
            self.write()

    def write(self) -> None:
        content = {"size": self.size, "reached": sorted(self.reached or ()), "outcomes": self.outcomes}
        self._texts.keep(self._name, json.dumps(content))
