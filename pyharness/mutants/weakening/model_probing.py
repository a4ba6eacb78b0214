"""Look for the weakenings of a model's properties: one run of TLC for states and steps, one for each of behaviours.

The TLA+ module that looks for the weakenings of a model's properties in its states and steps, all in one run of TLC. It
extends the model, and has two properties that always hold. Where a property of the model is violated they print, once
for each graph, that it is, and for each of its weakenings whether that is violated as well or not. TLC's register for a
number and a graph tells whether that was printed already. An action that is never taken counts the states that are
followed and violate a property, and tells which of its weakenings are not violated in all of these.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import IncompleteError, ToolError
from pyharness.base.toolchain.code_digest import code_digest
from pyharness.base.toolchain.kept_texts import KeptTexts
from pyharness.models.render import Rendered
from pyharness.models.tlc_runs import tlc_run, violating_states
from pyharness.models.tlc_verdict import meaning
from pyharness.mutants.weakening.formula_weakenings import HELPERS
from pyharness.mutants.weakening.plan_weakenings import OTHER_LAW
from pyharness.tla.modules.meanings import meaning_of
from pyharness.tla.tlc import Outcome, run_tlc
from pyharness.tla.tlc.outcome import EndedBy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyharness.models.checked_texts import Subject
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.mutants.weakening.plan_weakenings import Altered
    from pyharness.tla.modules.library import Library
    from pyharness.tla.tlc import Result


MODULE: Final = "Weakened"
VIOLATED, HOLDS, FEWER = "violated", "holds", "holds where it counts"


@dataclass(frozen=True, slots=True)
class Watched:
    """A property of a model, with the weakenings that are looked for where it is violated.

    With ``everywhere`` they are strengthenings, and looked for in all states and steps.
    """

    subject: Subject
    altered: Sequence[Altered]
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class ProbeModule:
    """The module, ready for TLC.

    ``meanings`` has by the number that TLC prints a property's name and the index of its weakening, which is ``None``
    for the property itself, and whether it is violated there or not; or else that it is not, in a state that counts.
    """

    rendered: Rendered
    meanings: Mapping[int, tuple[str, int | None, str]]


_STATE: Final = "Distance"
_STEP: Final = 'TLCGet("level")'
"""How many steps lead to a state, and to the state that a step leads to: of a state, builds of TLC say it otherwise."""


def probe_module(
    model: Rendered,
    prefix: str,
    graphs: Sequence[str],
    watched: Sequence[Watched],
    *,
    telling: bool = False,
) -> ProbeModule:
    """Return the module for a ``model`` without properties and fairness, with the ``prefix`` of its Init and vars.

    If it is ``telling``, TLC prints the number of each weakening before it evaluates it.
    """
    variables = f"{prefix.lower()}vars"
    meanings: dict[int, tuple[str, int | None, str]] = {}
    text = [f"---- MODULE {MODULE} ----", f"EXTENDS {model.module}", "", *HELPERS.splitlines(), ""]
    parts: dict[str, list[str]] = {"state": [], "step": []}
    counted: list[str] = []
    for one in watched:
        name = one.subject.name
        number, at = len(meanings), _STATE if one.subject.kind == "state" else _STEP
        meanings[number] = (name, None, VIOLATED)
        meanings[number + 1] = (name, None, HOLDS)
        text.append(f"Original{number} == {one.subject.formula}")
        told, fewer = [], []
        for index, altered in enumerate(one.altered):
            own = len(meanings)
            for more, what in enumerate((VIOLATED, HOLDS, *([FEWER] if one.subject.kind == "state" else []))):
                meanings[own + more] = (name, index, what)
            text.append(_definition(own, altered))
            told.append(f"Told({own}, Other{own}, {at})")
            fewer.append(f"(TLCGet(Register({own + 2})) \\/ ~Other{own} \\/ Found({own + 2}, {_STEP}))")
        seen = f"Original{number} \\/ Found({number}, {at})"
        if one.everywhere:
            parts[one.subject.kind] += [seen, *(f"({line})" for line in told)]
        else:
            parts[one.subject.kind].append(
                " /\\ ".join([f"Original{number} \\/ (Found({number}, {at})", *told]) + ")"
            )
            if one.subject.kind == "state":
                counting = " /\\ ".join([f"PrintT(<<Register({number})>>)", *fewer])
                counted.append(f"Original{number} \\/ ({counting})")
    text += ["", *_registers(graphs, len(meanings), telling=telling), "", "WatchStates ==", "  /\\ Begun"]
    text += [f"  /\\ {part}" for part in parts["state"]]
    text += ["WatchSteps == [][", "  /\\ TRUE"]
    text += [f"  /\\ {part}" for part in parts["step"]]
    text += [f"  ]_{variables}", "Violations ==", "  /\\ TRUE", *(f"  /\\ {part}" for part in counted)]
    text += ["TallyViolations == IF Violations THEN FALSE ELSE FALSE"]
    text += [f"CountingSpec == {prefix}Init /\\ [][ModelNext \\/ TallyViolations]_{variables}", "=" * 30, ""]
    cfg = model.cfg + "INVARIANT WatchStates\n" + ("PROPERTY WatchSteps\n" if parts["step"] else "")
    cfg = cfg.replace("SPECIFICATION ModelSpec", "SPECIFICATION CountingSpec")
    return ProbeModule(Rendered(MODULE, "\n".join(text), cfg), meanings)


def _definition(number: int, altered: Altered) -> str:
    """Return the definition of a weakening, on one line; that of the law in it has a name of its own."""
    if not altered.law:
        return f"Other{number} == {altered.formula}"
    law = f"{OTHER_LAW}{number}"
    head = altered.law.replace(OTHER_LAW, law, 1)
    return f"{head}\nOther{number} == {altered.formula.replace(OTHER_LAW, law)}".replace("\n", "  ")


def _registers(graphs: Sequence[str], numbers: int, *, telling: bool) -> Iterator[str]:
    yield "GraphNumber =="
    for index, graph in enumerate(graphs):
        yield f'  {"[]" if index else "CASE"} topo = "{graph}" -> {index}'
    yield f"Register(k) == {len(graphs)} * k + GraphNumber"
    yield f"ASSUME \\A at \\in 0..{len(graphs) * numbers} : TLCSet(at, FALSE)"
    base = len(graphs) * numbers + 1
    yield f"ASSUME TLCSet({base}, << >>)"
    yield f'Begun == TLCGet({base}) # << >> \\/ TLCSet({base}, <<TLCGet("level")>>)'
    yield f'Distance == TLCGet("level") - TLCGet({base})[1]'
    yield "Found(k, steps) =="
    yield "  \\/ TLCGet(Register(k))"
    yield '  \\/ TLCSet(Register(k), TRUE) /\\ PrintT(<<"first", k, topo, steps>>)'
    yield "Told(k, holds, steps) =="
    yield "  \\/ TLCGet(Register(k)) /\\ TLCGet(Register(k + 1))"
    if telling:
        yield '  \\/ PrintT(<<"trying", k>>) /\\ FALSE'
    yield "  \\/ IF holds THEN Found(k + 1, steps) ELSE Found(k, steps)"


_FOUND: Final = re.compile(r'<<"first", (\d+), "([^"]*)", (\d+)>>')
_TRYING: Final = re.compile(r'<<"trying", (\d+)>>')
_TAIL: Final = 1_000_000
_MOST_OUTPUT: Final = 256_000_000
_LONGER: Final = 10
"""So many times the model's own budget of seconds: hundreds of formulas take longer than a few."""
_NOT_EVALUATED: Final = (Outcome.EVALUATION_ERROR, Outcome.TOOL_ERROR)
_MOST_ERRORS: Final = 60
Place = dict[str, int]
"""By graph, the length of the shortest trace to what was looked for; 0 where the length means nothing."""


@dataclass
class Probed:
    """What a model showed of one property and of one weakening of it.

    ``original`` is where the property is violated, ``violated`` where the weakening is, ``differs`` where it is not
    although the property is, or the other way round; ``fewer`` where that is so in a state that is followed, for a
    property of states, and ``states`` how many of these violate the property. With ``error`` TLC cannot evaluate the
    weakening.
    """

    original: Place = field(default_factory=dict)
    violated: Place = field(default_factory=dict)
    differs: Place = field(default_factory=dict)
    fewer: Place = field(default_factory=dict)
    states: Place = field(default_factory=dict)
    error: bool = False


class Probing:
    """Runs TLC on the weakenings of a model; what was found is kept in a directory, by what it depends on."""

    def __init__(self, library: Library, tools: Tools, kept: Path) -> None:
        self._library = library
        self._tools = tools
        self._kept = KeptTexts(kept, "answer")

    def probe(self, model: Model, watched: Sequence[Watched]) -> dict[tuple[str, int], Probed]:
        """Return by property and index of the weakening what the states and steps of a model show.

        Raises IncompleteError if TLC does not come to the end, and ToolError if it refuses a weakening.
        """
        waiting = [one for one in watched if one.subject.kind != "behaviour"]
        failed: set[tuple[str, int]] = set()
        while waiting:
            chosen = [self._without(one, failed) for one in waiting]
            answer = self._once(model, [w for w, _ in chosen], telling=bool(failed))
            if answer.get("error") == []:
                answer = self._once(model, [w for w, _ in chosen], telling=True)
            if "error" not in answer:
                return self._read(
                    answer["found"], answer["states"], waiting, [kept for _, kept in chosen], failed
                )
            name, index = answer["error"]
            failed.add((name, next(kept for w, kept in chosen if w.subject.name == name)[index]))
            if len(failed) > _MOST_ERRORS:
                raise ToolError("TLC cannot evaluate the weakenings", where=model.name)
        return {}

    @staticmethod
    def _without(one: Watched, failed: set[tuple[str, int]]) -> tuple[Watched, list[int]]:
        kept = [i for i in range(len(one.altered)) if (one.subject.name, i) not in failed]
        return Watched(one.subject, [one.altered[i] for i in kept], one.everywhere), kept

    @staticmethod
    def _read(
        found: list[tuple[str, int | None, str, str, int]],
        states: dict[str, Place],
        watched: Sequence[Watched],
        kept: Sequence[list[int]],
        failed: set[tuple[str, int]],
    ) -> dict[tuple[str, int], Probed]:
        """Return what was printed, by property and weakening."""
        probed: dict[tuple[str, int], Probed] = {}
        for one, indices in zip(watched, kept, strict=True):
            name = one.subject.name
            own = [entry for entry in found if entry[0] == name]
            original = {graph: length for _, i, _, graph, length in own if i is None}
            for position, index in enumerate(indices):
                violated, holds, fewer = (
                    {graph: length for _, i, what, graph, length in own if (i, what) == (position, wanted)}
                    for wanted in (VIOLATED, HOLDS, FEWER)
                )
                differs = {g: n for g, n in violated.items() if original.get(g, n + 1) > n}
                probed[name, index] = Probed(
                    original, violated, differs if one.everywhere else holds, fewer, states.get(name, {})
                )
            for index in range(len(one.altered)):
                if (name, index) in failed:
                    probed[name, index] = Probed(original, states=states.get(name, {}), error=True)
        return probed

    def _once(self, model: Model, watched: Sequence[Watched], *, telling: bool) -> dict[str, Any]:
        """Run TLC once; return what it printed, or which weakening it could not evaluate, if it is ``telling``."""
        base = replace(model, fair=False).render(self._library, properties=())
        graphs = [graph.id for graph in model.topologies]
        module = probe_module(base, self._library.prefix(model.spec), graphs, watched, telling=telling)
        key = self._key(model, base, module.rendered)
        if (kept := self._kept.find(key)) is not None:
            answer: dict[str, Any] = json.loads(kept)
        else:
            result, said, last = self._run(model, base, module.rendered, go_on=True)
            if meaning(result).whole and result.outcome is Outcome.SUCCESS:
                answer = {"found": self._found(said, module.meanings), "states": {}}
                counts = violating_states(said, model.topologies, room=_MOST_OUTPUT)
                if counts is None:
                    raise IncompleteError("too much output to count the states", where=model.name)
                for (number, graph), count in counts.items():
                    answer["states"].setdefault(module.meanings[number][0], {})[graph] = count
            elif _not_evaluated(result) and (last is not None or not telling):
                answer = {"error": [] if last is None else list(module.meanings[last][:2])}
            elif result.outcome.is_spec_error or result.outcome is Outcome.TOOL_ERROR:
                raise ToolError(
                    "TLC cannot take the weakenings", where=model.name, hint=result.error_text[:2000]
                )
            else:
                raise IncompleteError(meaning(result).reason or result.outcome.value, where=model.name)
            self._kept.keep(key, json.dumps(answer))
        return answer

    @staticmethod
    def _found(said: str, meanings: Any) -> list[Any]:
        lines = (_FOUND.fullmatch(line) for line in said.splitlines())
        return [[*meanings[int(m[1])], m[2], int(m[3]) + 1] for m in lines if m]

    def behaviours(self, model: Model, formula: str, fairness: str = "") -> bool:
        """Tell whether a model violates a property of behaviours, also with another ``fairness`` than its spec's.

        Raises IncompleteError if TLC does not come to the end.
        """
        base = (replace(model, fair=False) if fairness else model).render(self._library, properties=())
        text = f"---- MODULE {MODULE} ----\nEXTENDS {base.module}\n{HELPERS}Other == {formula}\n"
        cfg = base.cfg + "PROPERTY Other\n"
        if fairness:
            text += f"OtherSpec == ModelSpec /\\ ({fairness})\n"
            cfg = cfg.replace("SPECIFICATION ModelSpec", "SPECIFICATION OtherSpec")
        rendered = Rendered(MODULE, f"{text}====\n", cfg)
        key = self._key(model, base, rendered)
        if (kept := self._kept.find(key)) is not None:
            answer = json.loads(kept)
        else:
            result, _, _ = self._run(model, base, rendered, go_on=False)
            if not meaning(result).whole:
                raise IncompleteError(meaning(result).reason or result.outcome.value, where=model.name)
            answer = {"violated": result.outcome.is_violation}
            self._kept.keep(key, json.dumps(answer))
        return bool(answer["violated"])

    def _run(
        self, model: Model, base: Rendered, module: Rendered, *, go_on: bool
    ) -> tuple[Result, str, int | None]:
        """Run TLC; return the result, all that it printed, and the last number that it told."""
        with tempfile.TemporaryDirectory(prefix="pyharness-weaken-") as name:
            work = Path(name)
            (work / f"{base.module}.tla").write_text(base.tla, encoding="utf-8")
            run = tlc_run(module, model, self._tools, work)
            run = replace(run, go_on=go_on, timeout=_LONGER * model.budget.seconds)
            result = run_tlc(run, output=work / "said", max_output=_MOST_OUTPUT)
            said = (work / "said").read_text(encoding="utf-8", errors="replace")
            told = _TRYING.findall(said[-_TAIL:])
            return result, said, int(told[-1]) if told else None

    def _key(self, model: Model, base: Rendered, module: Rendered) -> str:
        """Return a name made of all that an answer depends on: of the modules, what is used of them.

        Of our code it is what reads TLC's words; the rest is in the texts.
        """
        texts = (base.tla, module.tla, module.cfg)
        needed = sorted(meaning_of(self._library, model.modules, (*texts, base.cfg)).items())
        made_with = [self._tools.jar_sha256, self._tools.java_version, _code()]
        content = [*texts, needed, *made_with, model.budget.seconds]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:24]


@cache
def _code() -> str:
    return code_digest("base", "tla", "models", "mutants/weakening")


def _not_evaluated(result: Result) -> bool:
    """Tell whether TLC stopped by itself at what it cannot evaluate; for some of it 2.15 speaks of an exception."""
    return result.outcome in _NOT_EVALUATED and result.ended_by is EndedBy.EXIT
