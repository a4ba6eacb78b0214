"""The TLA+ module that looks for the weakenings of a model's properties in its states and steps, all in one run of TLC.

It extends the model, and has two properties that always hold. Where a property of the model is violated they print,
once for each graph, that it is, and for each of its weakenings whether that is violated as well or not. TLC's register
for a number and a graph tells whether that was printed already. An action that is never taken counts the states that
are followed and violate a property, and tells which of its weakenings are not violated in all of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyharness.tla.render import Rendered
from pyharness.weakening.formula_weakenings import HELPERS
from pyharness.weakening.plan_weakenings import OTHER_LAW

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyharness.weakening.plan_weakenings import Altered, Subject

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
