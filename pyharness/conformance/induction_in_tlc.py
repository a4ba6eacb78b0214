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

from pyharness.conformance.induction_states import OutsideTlaError, TlaCounterexample, as_tla
from pyharness.errors import SpecError
from pyharness.plan.model import LOWER_BOUND, NOTHING_LOST
from pyharness.plan.schedule_model import TEMPLATES
from pyharness.proof.finite_search import IDS
from pyharness.run.tlc_verdict import require_success
from pyharness.tla import to_tla
from pyharness.tla.render import APPLICATION
from pyharness.tlc import TlcRun, run_tlc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.modules.library import Library
    from pyharness.proof.refutation import Refuted
    from pyharness.run.machine_tools import Tools

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
