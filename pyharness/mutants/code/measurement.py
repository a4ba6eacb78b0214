"""How many mutants of the protocols conformance notices, and whether the others are listed.

Nothing else of the tool takes part: no property, no replay, no example. Models are tried from the smallest on, and a
mutant is tried on those that run its function until one sees it. What was found is kept, and taken over when all that
it depends on is the same.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import MOST_KEPT_BYTES, read_utf8
from pyharness.base.toolchain.code_digest import code_digest
from pyharness.base.toolchain.own_files import write_text
from pyharness.base.toolchain.seal import is_sealed, seal
from pyharness.gate.jobs.jobs import plan_jobs
from pyharness.mutants.code.code_mutants import CodeMutant, PairOfMutants, code_mutants
from pyharness.mutants.code.prepared_models import prepare
from pyharness.mutants.code.trials import try_mutants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.mutants.code.code_mutants import AnyMutant
    from pyharness.mutants.code.listed_survivors import Listing


_SEEDED: Final = "mutants.py"


def protocol_mutants(root: Path) -> list[CodeMutant]:
    """Return the mutants of all protocols below ``root``; the bugs that are seeded by hand are not mutated."""
    files = sorted(path for path in root.rglob("*.py") if not path.name.endswith(_SEEDED))
    return [mutant for path in files for mutant in code_mutants(path, root)]


LEAST_PAIRS_SEEN: Final = 0.95
"""Of the pairs of mutants that are tried, so many must be seen."""


def pairs_of(mutants: Sequence[CodeMutant], number: int, seed: int = 1) -> list[PairOfMutants]:
    """Draw pairs of mutants of one file, which may hide each other; the same seed draws the same ones."""
    by_file: dict[str, list[CodeMutant]] = {}
    for mutant in mutants:
        by_file.setdefault(mutant.file, []).append(mutant)
    pairs = [pair for group in by_file.values() for pair in combinations(group, 2)]
    chosen = Random(seed).sample(pairs, min(number, len(pairs)))  # noqa: S311 - to be repeated, not secret
    return [PairOfMutants(*pair) for pair in chosen]


@dataclass
class Measurement:
    """What was found.

    ``plans`` are the names of the plans, in order. ``seen`` has for each mutant seen the plan, the model and what was
    different; ``reached`` are the functions that some model runs; ``models`` are name, plan and number of states.
    """

    plans: tuple[str, ...]
    mutants: Sequence[AnyMutant]
    seen: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    reached: set[str] = field(default_factory=set)
    models: list[tuple[str, str, int]] = field(default_factory=list)

    @property
    def singles(self) -> list[CodeMutant]:
        """The mutants that are one change each."""
        return [mutant for mutant in self.mutants if isinstance(mutant, CodeMutant)]


def measure(
    plans: Sequence[Plan],
    mutants: Sequence[AnyMutant],
    root: Path,
    tools: Tools,
    cache: Path,
    *,
    workers: int = 1,
    say: Callable[[str], None] = lambda _: None,
) -> Measurement:
    """Try mutants on the models of some plans that are compared, one plan after the other.

    Graphs and findings are kept in ``cache``.

    Raises what :func:`~pyharness.mutants.code.prepared_models.prepare` does.
    """
    found = Measurement(tuple(plan.name for plan in plans), mutants)
    for plan in plans:
        keys = _keys(plan, tools)
        for model in sorted(compared_models(plan), key=_size):
            if mutants and not found.singles and len(found.seen) == len(mutants):
                break  # of pairs nothing more is asked than whether they are seen
            kept = _Kept(cache / "outcomes" / f"{keys[model.name]}.json")
            _try(model, plan, found, kept, tools, cache, root, workers, say)
    return found


def _try(
    model: Model,
    plan: Plan,
    found: Measurement,
    kept: _Kept,
    tools: Tools,
    cache: Path,
    root: Path,
    workers: int,
    say: Callable[[str], None],
) -> None:
    unseen = [mutant for mutant in found.mutants if mutant.id not in found.seen]
    ready = None
    if kept.reached is None:
        say(f"{model.name}: preparing")
        ready = prepare(model, plan.library, tools, cache / "graphs", root)
        kept.begin(ready.size, ready.reached)
    reached = kept.reached or set()
    asked = [m for m in unseen if any(f"{part.file} {part.function}" in reached for part in m.parts)]
    waiting = [mutant for mutant in asked if mutant.id not in kept.outcomes]
    if waiting:
        ready = ready or prepare(model, plan.library, tools, cache / "graphs", root)
        say(f"{model.name}: {len(waiting)} mutants in {ready.size:,} states")
        try_mutants(waiting, ready, root, workers=workers, tell=lambda m, text: kept.add(m.id, text))
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
    return {
        name: hashlib.sha256(" ".join([own, *sorted(found)]).encode()).hexdigest()[:24]
        for name, found in ids.items()
    }


class _Kept:
    """What was found with one model, in a file; written now and then, whole."""

    _OFTEN: Final = 20

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new = 0
        given: dict[str, Any] = {}
        with suppress(SpecError, ValueError, RecursionError, AttributeError, TypeError):
            read = json.loads(read_utf8(path, MOST_KEPT_BYTES))
            found = read.pop("sha256", None)
            given = read if is_sealed(found, path.stem, json.dumps(read, sort_keys=True)) else {}
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
        checksum = seal(self._path.stem, json.dumps(content, sort_keys=True))
        write_text(self._path, json.dumps({"sha256": checksum, **content}, indent=1))


# -- the verdict -------------------------------------------------------------------------------------------------


def judge_mutants(found: Measurement, listing: Listing) -> dict[str, Any]:
    """Hold what was found against the list, and return a document with figures and with what is wrong.

    ``counted`` are the mutants of functions that are not outside and that are not equivalent; ``plans`` has by name how
    many of them that plan or one before it sees. ``problems`` is empty if everything unseen is listed and
    everything listed is unseen.
    """
    functions = {f"{m.file} {m.function}" for m in found.singles}
    pattern = {name: listing.pattern_of(name) for name in functions}
    problems = [
        f"not outside, a model runs it: {name}" for name in sorted(functions & found.reached) if pattern[name]
    ]
    problems += [
        f"outside matches nothing: {unused}"
        for unused in sorted(set(listing.outside) - set(pattern.values()))
    ]
    inside = [m for m in found.singles if not pattern[f"{m.file} {m.function}"]]
    names = {mutant.id for mutant in inside}
    problems += [f"listed, and is no mutant: {name}" for name in listing.mutants if name not in names]
    counted = [m for m in inside if not (m.id in listing.mutants and listing.mutants[m.id].equivalent)]
    problems += [text for m in inside if (text := _problem(m, found, listing))]
    by_plan = {}
    for number, plan in enumerate(found.plans, start=1):
        seen = sum(1 for m in counted if m.id in found.seen and found.seen[m.id][0] in found.plans[:number])
        by_plan[plan] = {"seen": seen, "share": round(seen / len(counted), 4) if counted else 0.0}
    return {
        "mutants": len(found.mutants),
        "outside": len(found.mutants) - len(inside),
        "equivalent": [
            {"mutant": entry.mutant, "reason": entry.reason}
            for entry in listing.mutants.values()
            if entry.equivalent
        ],
        "counted": len(counted),
        "plans": by_plan,
        "survivors": [
            {"mutant": m.id, "reason": listing.mutants[m.id].reason if m.id in listing.mutants else None}
            for m in counted
            if m.id not in found.seen
        ],
        "problems": problems,
    }


def _problem(mutant: CodeMutant, found: Measurement, listing: Listing) -> str | None:
    """Say how a mutant is listed otherwise than it was found."""
    listed, seen = listing.mutants.get(mutant.id), found.seen.get(mutant.id)
    first = found.plans[0]
    if seen is None:
        if listed is None:
            return f"not seen, and not listed: {mutant.id}"
        if listed.plan in found.plans:
            return f"not seen by {listed.plan}, as it is listed: {mutant.id}"
    elif listed is None:
        if seen[0] != first:
            return f"seen by {seen[0]} only, and not listed: {mutant.id}"
    elif listed.plan != seen[0]:
        return f"listed, and seen by {seen[0]}, model {seen[1]}: {mutant.id}"
    return None


def judge_pairs(found: Measurement) -> dict[str, Any]:
    """Return the figures of pairs that were tried, with those that no plan sees, and what is wrong."""
    unseen = [pair.id for pair in found.mutants if pair.id not in found.seen]
    share = 1 - len(unseen) / len(found.mutants) if found.mutants else 0.0
    wrong = f"of the pairs of changes {share:.1%} are seen, and not {LEAST_PAIRS_SEEN:.0%}"
    return {
        "pairs": len(found.mutants),
        "seen": len(found.mutants) - len(unseen),
        "share": round(share, 4),
        "unseen": unseen,
        "problems": [wrong] if share < LEAST_PAIRS_SEEN else [],
    }


def by_file(found: Measurement, listing: Listing) -> Mapping[str, tuple[int, int, int, int]]:
    """Count by file: mutants, those outside, those equivalent, and those seen by any plan."""
    counts: dict[str, list[int]] = {}
    for m in found.singles:
        row = counts.setdefault(m.file, [0, 0, 0, 0])
        row[0] += 1
        if listing.pattern_of(f"{m.file} {m.function}"):
            row[1] += 1
        elif m.id in listing.mutants and listing.mutants[m.id].equivalent:
            row[2] += 1
        elif m.id in found.seen:
            row[3] += 1
    return {name: (row[0], row[1], row[2], row[3]) for name, row in counts.items()}


def merged(found: Measurement, other: Measurement) -> Measurement:
    """Return what both found; no mutant is in both. The models are those of ``found``."""
    return Measurement(
        found.plans,
        [*found.mutants, *other.mutants],
        {**found.seen, **other.seen},
        found.reached | other.reached,
        found.models,
    )
