"""Changes of a model's properties, asked in TLC: one run for states and steps, one for each property of behaviours.

The run for states and steps has the model without its properties, and watches those, and their changes, on each graph.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import IncompleteError, ToolError
from pyharness.base.toolchain.code_digest import code_digest
from pyharness.base.toolchain.kept_texts import KeptTexts
from pyharness.models.text_run import run_root
from pyharness.models.tlc_verdict import meaning
from pyharness.mutants.properties.watching import FOLLOWED, HOLDS, VIOLATED, WHOLE, Watching
from pyharness.tla.modules.meanings import meaning_of
from pyharness.tla.plain_models.config_file import parse_config
from pyharness.tla.plain_models.plain_model import OWN, PlainModel
from pyharness.tla.tlc import Outcome
from pyharness.tla.tlc.outcome import EndedBy

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.models.render import Rendered
    from pyharness.mutants.properties.watching import Changed, Formula
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Result

_FIRST: Final = 8002
"""The first register that watches; those before it have their use."""

_WATCH, _STEPS, _FOLLOWED, _GRAPH = (f"{OWN}{name}" for name in ("Watch", "WatchSteps", "Follow", "Graph"))
_TALLY, _SPEC, _OTHER = f"{OWN}Tally", f"{OWN}Following", f"{OWN}Other"
_LONGER: Final = 10
"""So many times the model's own budget of seconds: hundreds of formulas take longer than a few."""

_NOT_EVALUATED: Final = (Outcome.EVALUATION_ERROR, Outcome.TOOL_ERROR)
_MOST_ERRORS: Final = 60

Levels = dict[int, int]
"""By the number of a graph, how deep the first state is at which something was seen."""


@dataclass
class Shown:
    """The levels at which a model showed something of a property and of one change of it.

    ``original`` is where the property is violated, ``violated`` where the change is, ``differs`` where it is not
    although the property is, or the other way round; ``followed`` where that is so in a state that is followed. With
    ``error`` TLC cannot evaluate the change.
    """

    original: Levels = field(default_factory=dict)
    violated: Levels = field(default_factory=dict)
    differs: Levels = field(default_factory=dict)
    followed: Levels = field(default_factory=dict)
    error: bool = False


class ModelRuns:
    """Runs TLC on the changes of a model's properties; the answers are kept in a directory, by all they depend on."""

    def __init__(self, library: Library, tools: Tools, kept: Path) -> None:
        self._library = library
        self._tools = tools
        self._kept = KeptTexts(kept, "answer")

    def watch(self, model: Model, asked: Sequence[Changed]) -> dict[Formula, Shown]:
        """Return what the states and steps of a model show of changes of its properties.

        Raises IncompleteError if TLC does not come to the end, and ToolError if it refuses a change.
        """
        waiting = [each for each in asked if each.kind != "behaviour"]
        failed: set[Formula] = set()
        while waiting:
            kept = [
                (one, [i for i in range(len(one.changes)) if (one.name, i) not in failed]) for one in waiting
            ]
            answer = self._once(model, kept)
            if "seen" in answer:
                return _shown(answer["seen"], waiting, failed)
            name, index = answer["error"]
            failed.add((name, index))
            if len(failed) > _MOST_ERRORS:
                raise ToolError("TLC cannot evaluate the changes", where=model.name)
        return {}

    def violates(self, model: Model, formula: str, fairness: str = "") -> bool:
        """Tell whether a model violates a property of behaviours, also with another ``fairness`` than its spec's.

        Raises IncompleteError if TLC does not come to the end.
        """
        base = (replace(model, fair=False) if fairness else model).render(self._library, properties=())
        lines, spec = [f"{_OTHER} == {formula}"], ""
        if fairness:
            spec = _SPEC
            lines.append(f"{spec} == ModelSpec /\\ ({fairness})")
        texts = self._texts(base, lines, spec, properties=(_OTHER,))

        def ask() -> dict[str, bool]:
            result, _ = self._run(model, base, texts)
            if not meaning(result).whole:
                raise IncompleteError(meaning(result).reason or result.outcome.value, where=model.name)
            return {"violated": result.outcome.is_violation}

        return bool(self._answer(model, base, texts, ask)["violated"])

    def _once(self, model: Model, asked: Sequence[tuple[Changed, Collection[int]]]) -> dict[str, Any]:
        """Run TLC once; return what it printed, or which change it could not evaluate."""
        base = replace(model, fair=False).render(self._library, properties=())
        graphs = [graph.id for graph in model.topologies]
        watching = Watching(asked, _GRAPH, len(graphs), _FIRST, closely=True)
        texts = self._watched(base, self._library.prefix(model.spec), graphs, watching)

        def ask() -> dict[str, Any]:
            result, said = self._run(model, base, texts)
            if meaning(result).whole and result.outcome is Outcome.SUCCESS:
                return {"seen": list(watching.read(said))}
            numbers = dict(watching.definitions)
            of_line = {
                n: numbers[line] or 0 for n, line in enumerate(texts[0].split("\n"), 1) if line in numbers
            }
            blamed = [each for each in watching.blamed(result.complaint, of_line) if each[1] != WHOLE]
            if _not_evaluated(result) and blamed:
                return {"error": blamed[0]}
            if result.outcome.is_spec_error or result.outcome is Outcome.TOOL_ERROR:
                hint = result.error_text[:2000]
                raise ToolError("TLC cannot take the changes", where=model.name, hint=hint)
            raise IncompleteError(meaning(result).reason or result.outcome.value, where=model.name)

        return self._answer(model, base, texts, ask)

    def _watched(
        self, base: Rendered, prefix: str, graphs: Sequence[str], watching: Watching
    ) -> tuple[str, str]:
        """Return the root and the configuration of a run that watches, with the ``prefix`` of the spec's Init and vars."""
        variables = f"{prefix.lower()}vars"
        first, last = watching.registers
        cases = " [] ".join(f'topo = "{graph}" -> {number}' for number, graph in enumerate(graphs))
        lines = [
            f"ASSUME {OWN}Unseen({first}, {last})",
            f"{_GRAPH} == CASE {cases}",
            *(text for text, _ in watching.definitions),
            *(f"{_WATCH} ==", "  /\\ TRUE", *watching.states),
            *(f"{_STEPS} == [][", "  /\\ TRUE", *watching.steps, f"  ]_{variables}"),
            *(f"{_FOLLOWED} ==", "  /\\ TRUE", *watching.followed),
            f"{_TALLY} == IF {_FOLLOWED} THEN FALSE ELSE FALSE",  # of an action TLC would take each disjunct by itself
            f"{_SPEC} == {prefix}Init /\\ [][ModelNext \\/ {_TALLY}]_{variables}",
        ]
        return self._texts(base, lines, _SPEC, (_WATCH,), (_STEPS,) if watching.steps else ())

    def _texts(
        self,
        base: Rendered,
        lines: Sequence[str],
        spec: str,
        invariants: tuple[str, ...] = (),
        properties: tuple[str, ...] = (),
    ) -> tuple[str, str]:
        """Return a root that extends a rendered model, which checks nothing, by some lines, and the configuration."""
        model = self._plain(base, Path())
        config = replace(model.config, invariants=invariants, properties=properties)
        config = replace(config, specification=spec or config.specification)
        return model.root(*lines), config.text()

    def _plain(self, base: Rendered, work: Path) -> PlainModel:
        return PlainModel(work / f"{base.module}.tla", parse_config(base.cfg, base.module), self._library)

    def _run(self, model: Model, base: Rendered, texts: tuple[str, str]) -> tuple[Result, list[str]]:
        """Run TLC; return the result, and the lines that it printed."""
        with tempfile.TemporaryDirectory(prefix="pyharness-changes-") as name:
            work = Path(name)
            (work / f"{base.module}.tla").write_text(base.tla, encoding="utf-8")
            result = run_root(
                self._plain(base, work),
                self._tools,
                work,
                texts,
                output=work / "said",
                heap_mib=model.budget.heap_mb,
                timeout=_LONGER * model.budget.seconds,
                cpu_seconds=model.budget.cpu_seconds,
            )
            return result, (work / "said").read_text(encoding="utf-8", errors="replace").splitlines()

    def _answer(self, model: Model, base: Rendered, texts: tuple[str, str], ask: Any) -> dict[str, Any]:
        """Return an answer that is kept, or ask, and keep that: under a name made of all that it depends on.

        Of the modules that is what is used of them; of our code it is what reads TLC's words, the rest is in the texts.
        """
        used = sorted(meaning_of(self._library, model.modules, (base.tla, *texts, base.cfg)).items())
        made_with = [self._tools.jar_sha256, self._tools.java_version, _code()]
        content = [base.tla, *texts, used, *made_with, model.budget.seconds]
        key = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]
        if (kept := self._kept.find(key)) is None:
            kept = json.dumps(ask())
            self._kept.keep(key, kept)
        answer: dict[str, Any] = json.loads(kept)
        return answer


@cache
def _code() -> str:
    return code_digest("base", "tla", "models", "mutants/properties")


def _shown(
    seen: Sequence[Any], asked: Sequence[Changed], failed: Collection[Formula]
) -> dict[Formula, Shown]:
    """Return what was printed, by property and change."""
    levels: dict[tuple[str, int, str], Levels] = {}
    for (name, index), what, graph, level in seen:
        levels.setdefault((name, index, what), {})[graph] = level
    shown: dict[Formula, Shown] = {}
    for one in asked:
        original = levels.get((one.name, WHOLE, VIOLATED), {})
        for index in range(len(one.changes)):
            violated, holds, followed = (
                levels.get((one.name, index, what), {}) for what in (VIOLATED, HOLDS, FOLLOWED)
            )
            differs = {g: n for g, n in violated.items() if original.get(g, n + 1) > n}
            error = (one.name, index) in failed
            shown[one.name, index] = Shown(
                original, violated, differs if one.everywhere else holds, followed, error
            )
    return shown


def _not_evaluated(result: Result) -> bool:
    """Tell whether TLC stopped by itself at what it cannot evaluate; for some of it 2.15 speaks of an exception."""
    return result.outcome in _NOT_EVALUATED and result.ended_by is EndedBy.EXIT
