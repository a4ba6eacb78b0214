"""Give each counterexample to induction to TLC as an initial state: the seeded bug must take that very step there.

One run of TLC for each proved module: every counterexample is an initial state, on a graph that carries the bug's name,
and the rule that the bug overrides depends on the graph. So that TLC can be seen to say no, the same states are begun
in a second time with the rule as it is.
"""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.base.topology import Topology
from pyharness.models.model import LOWER_BOUND, NOTHING_LOST
from pyharness.models.render import APPLICATION
from pyharness.models.schedule_model import TEMPLATES, graph_record
from pyharness.models.tlc_verdict import require_success
from pyharness.prove.finite_search import IDS
from pyharness.prove.logic import BOOL, CHANNEL, MESSAGE, PROCESS, STATE, Structure
from pyharness.prove.logic.finite_universe import Element
from pyharness.prove.modules.application_proof import SOURCE, TARGET
from pyharness.prove.modules.chandy_lamport_proof import INITIATOR
from pyharness.prove.modules.cyclic_barriers_proof import LESS
from pyharness.prove.structure_values import values_of
from pyharness.tla.tlc import TlcRun, run_tlc
from pyharness.tla.values import Fn, set_of, to_tla

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.models.machine_tools import Tools
    from pyharness.prove.proof_module import Action, System
    from pyharness.prove.refutation import Refuted
    from pyharness.prove.steps import State, Step
    from pyharness.tla.modules.library import Library
    from pyharness.tla.values import Value


class OutsideTlaError(SpecError):
    """A counterexample that TLA+ cannot say; the message says why."""


@dataclass(frozen=True)
class TlaCounterexample:
    """A counterexample to induction of a ``mutant``, in TLA+.

    ``conjuncts`` are the names of the invariant's, ``goal`` that of what is ``broken`` by the ``action``, or in the
    state itself where there is none. Of the application the action needs this: the local state ``after_local`` that it
    leads to, by its number, the channels that it accepts from (``takes``), pairs of a channel and what it sends there
    (``gives``), and whether it is an internal one (``changes``). Where there is no action, all of these are possible.
    """

    mutant: str
    breaks: str
    goal: str
    conjuncts: tuple[str, ...]
    graph: Fn
    action: str | None
    after_local: int
    takes: Value
    gives: Value
    changes: bool
    module: System
    structure: Structure
    channels: tuple[tuple[int, int], ...]
    order: tuple[int, ...]
    states: tuple[State, State | None]

    def before(self, number: int) -> dict[str, Any]:
        """Return the variables before the step; local states are pairs of ``number`` and their own."""
        return self._values(self.states[0], number)

    def after(self, number: int) -> dict[str, Any]:
        """Return the variables after it."""
        return {} if self.states[1] is None else self._values(self.states[1], number)

    def _values(self, state: State, number: int) -> dict[str, Any]:
        universe = self.structure.universe
        locals_ = [(number, s + 1) for s in universe[STATE]]
        messages = [m + 1 for m in universe[MESSAGE]]
        read = values_of(self.module, state, universe.ids)
        return read(self.structure, self.channels, locals_, messages, self.order)


def as_tla(one: Refuted) -> TlaCounterexample:
    """Return the counterexample of a seeded bug in TLA+.

    Raises OutsideTlaError for one that TLA+ cannot say: it is about positions or the measure, or on a graph with two
    channels from one process to another. Raises SpecError where there is none.
    """
    obligation, structure = one.obligation, one.structure
    if obligation is None or structure is None or obligation.system is None:
        raise SpecError(f"{one.module} with {one.mutant} has no counterexample")
    if obligation.positions:
        raise OutsideTlaError("it is about the positions that stand for sequences, of which TLA+ has none")
    if obligation.module != one.module:
        raise OutsideTlaError("it is about the measure by which a snapshot ends, of which TLA+ knows nothing")
    module = obligation.system
    order = _order(structure)
    ends = [(structure.value(SOURCE(c)), structure.value(TARGET(c))) for c in _elements(structure)]
    channels = tuple((order[source], order[target]) for source, target in ends)
    if len(set(channels)) < len(channels):
        raise OutsideTlaError("there are two channels from one process to another")
    initiators = [
        order[p] for p in structure.universe[PROCESS] if structure.holds(INITIATOR(Element(PROCESS, p)))
    ]
    graph = Topology.of(structure.universe.processes, sorted(channels), sorted(initiators))
    goal = obligation.name.partition("/")[0]
    action, before, step = obligation.step or (None, module.state(), None)
    names = [said.name for said, _ in module.declared("conjunct") if not said.positions]
    return TlaCounterexample(
        mutant=one.mutant,
        breaks=obligation.name,
        goal=goal,
        conjuncts=("TypeOK", *names),
        graph=graph_record(graph),
        action=None if action is None else _called(action, structure, channels, order),
        after_local=_after_local(action, structure),
        changes=action is None or action.name == "Internal",
        **_moves(before, step, structure, channels),
        module=module,
        structure=structure,
        channels=channels,
        order=order,
        states=(before, None if step is None else step.after),
    )


def _elements(structure: Structure) -> list[Element]:
    return [Element(CHANNEL, c) for c in structure.universe[CHANNEL]]


def _order(structure: Structure) -> tuple[int, ...]:
    """Return the number of each process: as many as are less, if anything is said of that, and one more."""
    processes = [Element(PROCESS, p) for p in structure.universe[PROCESS]]
    if LESS.name not in structure.tables:
        return tuple(range(1, len(processes) + 1))
    return tuple(1 + sum(structure.holds(LESS(q, p)) for q in processes) for p in processes)


def _moves(
    before: State, step: Step | None, structure: Structure, channels: tuple[tuple[int, int], ...]
) -> dict[str, Value]:
    """Return the channels that an action accepts from, and what it sends on which; where there is no step, all.

    What it accepts although it was not sent, its source could send.
    """
    if step is None:
        messages = [m + 1 for m in structure.universe[MESSAGE]]
        return {"takes": set_of(channels), "gives": set_of((c, m) for c in channels for m in messages)}
    moves = step.does.moves
    if moves is None:
        return {"takes": frozenset(), "gives": frozenset()}
    takes, gives = set(), set()
    for ends, c in zip(channels, _elements(structure), strict=True):
        if structure.holds(moves.takes(c)):
            takes.add(ends)
            if not structure.holds(before.chan(c, moves.at(c))):
                gives.add((ends, structure.value(moves.took(c)) + 1))
        if structure.holds(moves.gives(c)):
            gives.add((ends, structure.value(moves.body(c)) + 1))
    return {"takes": set_of(takes), "gives": set_of(gives)}


def _after_local(action: Action | None, structure: Structure) -> int:
    """Return the number of the local state that an action leads to, if it is the application's.

    Where there is no step, it is what a goal about all of them says of it.
    """
    symbols = [symbol for symbol, _ in structure.values] if action is None else action.parameters
    named = [symbol for symbol in symbols if symbol.name == "t"]
    return structure.value(named[0]()) + 1 if named else 1


def _called(
    action: Action, structure: Structure, channels: tuple[tuple[int, int], ...], order: tuple[int, ...]
) -> str:
    """Write the action with what TLA+ gives it: a channel, a process, or a set of processes."""
    for symbol in action.parameters:
        if symbol.sort == CHANNEL:
            return f"{action.name}({to_tla(channels[structure.value(symbol())])})"
        if symbol.sort == PROCESS:
            return f"{action.name}({order[structure.value(symbol())]})"
        if symbol.sort == BOOL and symbol.arguments == (PROCESS,):
            turned = [p for p in structure.universe[PROCESS] if structure.holds(symbol(Element(PROCESS, p)))]
            return f"{action.name}({to_tla(frozenset(order[p] for p in turned))})"
    return action.name


MODULE: Final = "Induction"
"""The name of the rendered module."""

_CONSTANTS: Final = {LOWER_BOUND: NOTHING_LOST, "Each": "ModelEach", "Overlap": "ModelOverlap"}
"""What a constant of a module is, if it has it."""

_SAID: Final = re.compile(r'<<"(holds|broken)", (\d+), (\d+|TRUE|FALSE), (TRUE|FALSE)>>')


@dataclass(frozen=True)
class InTlc:
    """What TLC said of a counterexample to induction.

    ``ok``: the state satisfies the invariant in TLA+, the bug's step leads to the counterexample's next state, what is
    broken is broken there, and nothing is broken by the rule as it is. ``outside`` says why it cannot be given to TLC;
    ``why`` what was otherwise found.
    """

    module: str
    mutant: str
    breaks: str
    ok: bool
    why: str = ""
    outside: str = ""


@dataclass(frozen=True)
class _Case:
    """A counterexample, with its seeded bug or, to compare, without."""

    number: int
    found: TlaCounterexample
    seeded: bool

    @property
    def topo(self) -> str:
        """The name of its graph."""
        return self.found.mutant if self.seeded else f"as it is, {self.found.mutant}"


def in_tlc(found: Sequence[Refuted], library: Library, tools: Tools, seconds: float = 120.0) -> list[InTlc]:
    """Give the counterexamples of modules' mutants to TLC, in one run for each module; return a verdict for each.

    Raises IncompleteError when a run of TLC did not end by itself, ToolError when TLC or Java fails.
    """
    verdicts: list[InTlc] = []
    by_module: defaultdict[str, list[Refuted]] = defaultdict(list)
    for one in found:
        if one.obligation is not None:
            by_module[one.module].append(one)
    for module, refuted in by_module.items():
        cases = []
        for one in refuted:
            try:
                cases.append(as_tla(one))
            except OutsideTlaError as error:
                breaks = one.obligation.name if one.obligation else ""
                verdicts.append(InTlc(module, one.mutant, breaks, ok=False, outside=error.message))
        if cases:
            verdicts += _run(module, cases, library, tools, seconds)
    order = {(one.module, one.mutant): n for n, one in enumerate(found)}
    return sorted(verdicts, key=lambda verdict: order[verdict.module, verdict.mutant])


def _run(
    module: str, found: Sequence[TlaCounterexample], library: Library, tools: Tools, seconds: float
) -> list[InTlc]:
    tla, cfg = render_counterexamples(module, found, library)
    with tempfile.TemporaryDirectory(prefix="pyharness-induction-") as directory:
        work = Path(directory)
        (work / f"{MODULE}.tla").write_text(tla, encoding="utf-8")
        (work / f"{MODULE}.cfg").write_text(cfg, encoding="utf-8")
        run = TlcRun(
            java=tools.java,
            jvm_options=tools.jvm_options,
            jar=tools.jar,
            directory=work,
            module=MODULE,
            libraries=tools.specs,
            timeout=seconds,
        )
        result = run_tlc(run)
    require_success(result, f"the counterexamples of {module}", "take fewer modules")
    said = [match.groups() for line in result.output.splitlines() if (match := _SAID.fullmatch(line))]
    cases = _cases(found)
    return [_verdict(module, one, two, said) for one, two in zip(cases[::2], cases[1::2], strict=True)]


def _verdict(module: str, seeded: _Case, as_it_is: _Case, said: Sequence[tuple[str, ...]]) -> InTlc:
    """Judge by what TLC printed: of the invariant in the first state, and of each step from there."""

    def lines(kind: str, case: _Case) -> list[tuple[str, str]]:
        return [(row[2], row[3]) for row in said if row[0] == kind and int(row[1]) == case.number]

    found = seeded.found
    holds = dict(lines("holds", seeded))
    not_held = [name for n, name in enumerate(found.conjuncts, start=1) if holds.get(str(n)) != "TRUE"]
    steps, others = lines("broken", seeded), lines("broken", as_it_is)
    if not_held:
        why = f"TLC finds that the state does not satisfy {', '.join(not_held)}"
    elif ("TRUE", "TRUE") not in steps:
        taken = (
            "takes the step, but breaks nothing" if ("TRUE", "FALSE") in steps else "does not take the step"
        )
        why = f"TLC {taken}"
    elif any(broken == "TRUE" for _, broken in others):
        why = "TLC breaks it with the rule as it is, too"
    else:
        return InTlc(module, found.mutant, found.breaks, ok=True)
    return InTlc(module, found.mutant, found.breaks, ok=False, why=why)


def _cases(found: Sequence[TlaCounterexample]) -> list[_Case]:
    return [
        _Case(2 * n + 1 + (not seeded), one, seeded)
        for n, one in enumerate(found)
        for seeded in (True, False)
    ]


def render_counterexamples(
    module: str, found: Sequence[TlaCounterexample], library: Library
) -> tuple[str, str]:
    """Write the module that begins in these states of ``module``, and its configuration."""
    inductive = f"Inductive{module}"
    fields: dict[str, Any] = {
        "module": MODULE,
        "spec": module,
        "extends": (inductive, *dict.fromkeys(one.mutant for one in found)),
        "cases": [_fields(case, inductive, library) for case in _cases(found)],
        "rules": _rules(found, library),
        "application": APPLICATION,
        "constants": [(name, _CONSTANTS[name]) for name in library.constants(module) if name in _CONSTANTS],
        "granularity": "action" if "Exchange" in library.visible(module) else "event",
        "ids": IDS,
    }
    return (
        TEMPLATES.get_template("induction.tla.jinja").render(fields),
        TEMPLATES.get_template("induction.cfg.jinja").render(fields),
    )


def _fields(case: _Case, inductive: str, library: Library) -> dict[str, Any]:
    found = case.found
    if found.action is None:
        goal = found.goal
    else:
        kind, formula = library.formula(inductive, found.goal, begins=False)
        goal = f"({formula})'" if kind == "state" else formula
    number = case.number
    return {
        "number": number,
        "topo": to_tla(case.topo),
        "graph": to_tla(found.graph),
        "after_local": to_tla((number, found.after_local)),
        "takes": to_tla(found.takes),
        "gives": to_tla(found.gives),
        "changes": to_tla(found.changes),
        "before": [(name, to_tla(value)) for name, value in found.before(number).items()],
        "same": " /\\ ".join(f"({name}' = {to_tla(value)})" for name, value in found.after(number).items()),
        "asked": found.conjuncts,
        "action": found.action,
        "goal": goal,
    }


def _rules(found: Sequence[TlaCounterexample], library: Library) -> list[dict[str, Any]]:
    """Return each overridden operator, with the graphs on which it is which bug's."""
    rules: dict[str, dict[str, Any]] = {}
    for one in found:
        text = library.module(one.mutant)
        for definition in text.definitions:
            if not definition.startswith(one.mutant) or definition == one.mutant:
                continue
            name = definition.removeprefix(one.mutant)
            head = text.definitions[definition].head.removeprefix(one.mutant)
            rule = rules.setdefault(
                name, {"name": name, "head": head, "arguments": head.removeprefix(name), "cases": []}
            )
            replacement = f"{definition}"
            rule["cases"].append((to_tla(one.mutant), replacement))
            if rule["arguments"] != head.removeprefix(name):
                raise SpecError(f"{one.mutant} calls the arguments of {name} by other names")
    return list(rules.values())
