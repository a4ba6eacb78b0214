"""Changes of a model's properties, asked in TLC: one run for states and steps, one for each property of behaviours.

The run for states and steps has the model without its properties, and watches those, and their changes, on each graph.
A property must be violated there if the model is to be caught by it, and only then.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import IncompleteError, ToolError
from pyharness.base.toolchain.code_digest import code_digest
from pyharness.base.toolchain.kept_texts import KeptTexts
from pyharness.models.tlc_verdict import meaning
from pyharness.mutants.properties.asked_change import NOT_EVALUATED, REFUSED, Levels, Shown
from pyharness.mutants.properties.root_run import run_lines
from pyharness.mutants.properties.watching import FOLLOWED, HOLDS, ITSELF, VIOLATED, Watching
from pyharness.tla.modules.meanings import meaning_of
from pyharness.tla.plain_models.config_file import parse_config
from pyharness.tla.plain_models.plain_model import OWN, PlainModel
from pyharness.tla.tlc import Outcome
from pyharness.tla.tlc.outcome import EndedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.mutants.properties.root_run import RootRun
    from pyharness.mutants.properties.watching import Changed, Formula
    from pyharness.tla.modules.library import Library

_FIRST: Final = 8002
"""The first register that watches; those before it have their use."""

_WATCH, _STEPS, _FOLLOWED, _GRAPH = (f"{OWN}{name}" for name in ("Watch", "WatchSteps", "Follow", "Graph"))
_TALLY, _SPEC, _OTHER = f"{OWN}Tally", f"{OWN}Following", f"{OWN}Other"
_LONGER: Final = 10
"""Times the model's own budget of seconds: hundreds of formulas take longer than a few."""

_NOT_EVALUATED: Final = (Outcome.EVALUATION_ERROR, Outcome.TOOL_ERROR)
_MOST_ERRORS: Final = 60

_Lines = dict[str, int | None]
"""Lines of a root, each with the number of a formula below zero, if it is of one."""


class NotThroughError(IncompleteError):
    """TLC did not finish a model."""


class ModelRuns:
    """Runs TLC on the changes of a model's properties; the answers are kept in a directory, by all they depend on."""

    def __init__(self, library: Library, tools: Tools, kept: Path) -> None:
        self._library = library
        self._tools = tools
        self._kept = KeptTexts(kept, "answer")

    def watch(self, model: Model, asked: Sequence[Changed]) -> dict[Formula, Shown]:
        """Return what the states and steps of a model show of changes of its properties.

        Raises NotThroughError if TLC does not finish, ToolError if it cannot take what is asked, and
        IncompleteError if the model violates other properties than alone.
        """
        left_out: dict[Formula, str] = {}
        while len(left_out) <= _MOST_ERRORS:
            answer = self._once(model, asked, left_out)
            if "seen" in answer:
                return _shown(model, asked, answer["seen"], left_out)
            if "unplaced" in answer:
                answer = self._found(model, asked, left_out, answer["unplaced"])
            left_out |= dict.fromkeys(answer["formulas"], answer["error"])
        raise ToolError("TLC cannot evaluate the changes", where=model.name)

    def _found(
        self, model: Model, asked: Sequence[Changed], left_out: Mapping[Formula, str], among: list[Formula]
    ) -> dict[str, Any]:
        """Find a change that TLC cannot evaluate and gives no place of: half of those it is ``among`` are asked at a time."""
        every = list(among)
        while True:
            half = among[: (len(among) + 1) // 2]
            others = dict.fromkeys((each for each in every if each not in half), NOT_EVALUATED)
            answer = self._once(model, asked, {**left_out, **others})
            if "formulas" in answer:
                return answer
            if "unplaced" not in answer:
                among = among[len(half) :]
            elif len(half) == 1:
                return {"error": NOT_EVALUATED, "formulas": half}
            else:
                among = half
            if not among:
                raise ToolError("TLC cannot evaluate the changes together", where=model.name)

    def violates(self, model: Model, formula: str, fairness: str = "") -> bool:
        """Return whether a model violates a temporal property, also with another ``fairness`` than its spec's.

        Raises NotThroughError if TLC does not finish.
        """
        lines: _Lines = {f"{_OTHER} == {formula}": None}
        if fairness:
            lines[f"{_SPEC} == ModelSpec /\\ ({fairness})"] = None
        config = {"properties": (_OTHER,), **({"specification": _SPEC} if fairness else {})}

        def read(run: RootRun) -> dict[str, bool]:
            if not meaning(run.result).complete:
                raise _not_through(model, run)
            return {"violated": run.result.outcome.is_violation}

        return bool(self._answer(model, fair=not fairness, lines=lines, config=config, read=read)["violated"])

    def _once(self, model: Model, asked: Sequence[Changed], but: Mapping[Formula, str]) -> dict[str, Any]:
        """Run TLC once; return the sightings, or which changes it could not take, and why.

        An answer is kept by the texts that TLC is given, in which a formula has a number: other changes of the same
        property may have the same texts.
        """
        left = [(one, [i for i in range(len(one.changes)) if (one.name, i) not in but]) for one in asked]
        among = [(one.name, index) for one, indices in left for index in indices]
        watching = Watching(left, _GRAPH, len(model.topologies), _FIRST, closely=True)
        config = {
            "specification": _SPEC,
            "invariants": (_WATCH,),
            "properties": (_STEPS,) if watching.steps else (),
        }

        def read(run: RootRun) -> dict[str, Any]:
            result = run.result
            if result.outcome is Outcome.SUCCESS and meaning(result).complete:
                return {"seen": [line for line in run.output if any(watching.read([line]))]}
            refused = [watching.formula(-number) for number in run.refused()]
            blamed = watching.blamed(result.complaint, run.of_line)[:1]
            if not (result.outcome in _NOT_EVALUATED and result.ended_by is EndedBy.EXIT):
                blamed = []
            for error, formulas in ((REFUSED, refused), (NOT_EVALUATED, blamed)):
                if found := [each for each in formulas if each and each[1] != ITSELF]:
                    return {"error": error, "numbers": [watching.number(each) for each in found]}
            if result.outcome is Outcome.EVALUATION_ERROR and result.ended_by is EndedBy.EXIT and among:
                return {"unplaced": True}  # so it is at an initial state
            if result.outcome.is_spec_error or result.outcome is Outcome.TOOL_ERROR:
                hint = result.error_text[:2000]
                raise ToolError("TLC cannot take the changes", where=model.name, hint=hint)
            raise _not_through(model, run)

        lines = self._watched(model, watching)
        answer = self._answer(model, fair=False, lines=lines, config=config, read=read)
        if "seen" in answer:
            return {"seen": list(watching.read(answer["seen"]))}
        if "unplaced" in answer:
            return {"unplaced": among}
        return {"error": answer["error"], "formulas": list(map(watching.formula, answer["numbers"]))}

    def _watched(self, model: Model, watching: Watching) -> _Lines:
        """Return the lines of a root that watches."""
        prefix = self._library.prefix(model.spec)
        variables, begins = f"{prefix.lower()}vars", "Model" if model.wander else prefix
        first, last = watching.registers
        graphs = (f'topo = "{graph.id}" -> {number}' for number, graph in enumerate(model.topologies))
        lines = [f"ASSUME {OWN}Unseen({first}, {last})", f"{_GRAPH} == CASE {' [] '.join(graphs)}"]
        further = [
            "\n".join((f"{_WATCH} ==", "  /\\ TRUE", *watching.states)),
            "\n".join((f"{_STEPS} == [][", "  /\\ TRUE", *watching.steps, f"  ]_{variables}")),
            "\n".join((f"{_FOLLOWED} ==", "  /\\ TRUE", *watching.followed)),
            f"{_TALLY} == IF {_FOLLOWED} THEN FALSE ELSE FALSE",  # of an action TLC would take each disjunct by itself
            f"{_SPEC} == {begins}Init /\\ [][ModelNext \\/ {_TALLY}]_{variables}",
        ]
        return {**dict.fromkeys(lines), **dict(watching.definitions), **dict.fromkeys(further)}

    def _answer(
        self,
        model: Model,
        *,
        fair: bool,
        lines: _Lines,
        config: Mapping[str, Any],
        read: Callable[[RootRun], dict[str, Any]],
    ) -> dict[str, Any]:
        """Return an answer that is kept, or run TLC, ``read`` the answer, and keep that.

        Its name is a digest of all that it depends on: the definitions that are used of the modules, and the code that
        reads TLC's output; the rest is in the texts.
        """
        base = replace(model.unchecked, fair=fair and model.fair).render(self._library)
        plain = PlainModel(Path(f"{base.module}.tla"), parse_config(base.cfg, base.module), self._library)
        checked = replace(plain.config, **config)
        texts = (plain.root(*lines), checked.text())
        used = sorted(meaning_of(self._library, model.modules, (base.tla, *texts, base.cfg)).items())
        made_with = [self._tools.jar_sha256, self._tools.java_version, _code()]
        content = (base.tla, *texts, json.dumps([used, *made_with, model.budget.seconds]))

        def ask() -> str:
            with run_lines(
                plain,
                self._tools,
                checked,
                list(lines),
                {place: number for place, number in enumerate(lines.values()) if number is not None},
                beside={plain.path.name: base.tla},
                heap_mib=model.budget.heap_mb,
                timeout=_LONGER * model.budget.seconds,
                cpu_seconds=model.budget.cpu_seconds,
            ) as run:
                return json.dumps(read(run))

        answer: dict[str, Any] = json.loads(self._kept.text(content, ask))
        return answer


@cache
def _code() -> str:
    return code_digest("base", "tla", "models", "mutants/properties")


def _not_through(model: Model, run: RootRun) -> NotThroughError:
    return NotThroughError(meaning(run.result).reason or run.result.outcome.value, where=model.name)


def _shown(
    model: Model, asked: Sequence[Changed], seen: Sequence[Any], left_out: Mapping[Formula, str]
) -> dict[Formula, Shown]:
    """Return what was printed, by property and change. Raises IncompleteError if it cannot be right."""
    levels: dict[tuple[str, int, str], Levels] = {}
    for (name, index), what, graph, level in seen:
        levels.setdefault((name, index, what), {})[graph] = level
    shown: dict[Formula, Shown] = {}
    for one in asked:
        original = levels.get((one.name, ITSELF, VIOLATED), {})
        require_alone(model, one.name, violated=bool(original))
        for index in range(len(one.changes)):
            violated, holds, followed = (
                levels.get((one.name, index, what), {}) for what in (VIOLATED, HOLDS, FOLLOWED)
            )
            differs = {g: n for g, n in violated.items() if original.get(g, n + 1) > n}
            error = left_out.get((one.name, index), "")
            shown[one.name, index] = Shown(
                original, violated, differs if one.everywhere else holds, followed, error
            )
    return shown


def require_alone(model: Model, name: str, *, violated: bool) -> None:
    """Require that a model violates a property beside changes if it is caught by it alone. Raises IncompleteError."""
    if violated != (name in model.caught_by):
        raise IncompleteError(
            f"beside its changes {name} is {'' if violated else 'not '}violated, and alone it is otherwise, "
            "so nothing that was found counts",
            where=model.name,
            hint="please report it, with the spec",
        )
