"""Compare TLC's verdict with this tool's own evaluation of the formulas in the states and steps that TLC found.

Some builds of TLC evaluate a formula wrongly, and nothing in their output shows it. So the invariants of a small model
are evaluated again in each of its states, its initial predicate and its next-state relation in the initial states and
the steps, and a violated invariant in the state reported to violate it. That TLC found *all* states rests on TLC alone.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import HarnessError, SpecError
from pyharness.models.behaviour_formula import behaviours_of
from pyharness.models.formula_evaluation import Evaluation, NotCoveredError
from pyharness.models.text_run import run_root
from pyharness.tla.modules.expressions import Name
from pyharness.tla.tlc import Outcome
from pyharness.tla.tlc.dump import load_graph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.models.machine_tools import Tools
    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.plain_models.plain_model import PlainModel
    from pyharness.tla.tlc import Trace
    from pyharness.tla.tlc.dump import DumpGraph
    from pyharness.tla.values import Fn

MOST_STATES: Final = 50_000
"""The number of distinct states above which a model is not evaluated again."""

_SECONDS: Final = 20
"""Seconds for TLC to write the graph, at most."""

_MODEL: Final = "the model"

_EVALUATING: Final = 8
"""Seconds to evaluate formulas in the graph, at most."""


@dataclass(frozen=True)
class Opinion:
    """The results of the evaluation in a number of ``states``, with a number of ``steps`` between them.

    ``agreed`` are the formulas that are true everywhere they must be; ``differing`` maps a false formula to the state,
    or the two states of a step, in which it is false, and ``beyond`` one that could not be evaluated to the reason.
    """

    states: int
    steps: int
    agreed: tuple[str, ...]
    differing: dict[str, tuple[Fn, ...]]
    beyond: dict[str, str]

    @property
    def text(self) -> str:
        """The opinion in one line."""
        lacking = "; ".join(f"not {name}: {why}" for name, why in self.beyond.items())
        if not self.states:
            return f"nothing: {self.beyond[_MODEL]}"
        agreed = ", ".join(self.agreed) or "nothing"
        steps = f" and {_count(self.steps, 'step')}" if self.steps else ""
        return f"{agreed} in {_count(self.states, 'state')}{steps}{f'; {lacking}' if lacking else ''}"


def _count(number: int, of: str) -> str:
    return f"{number:,} {of}{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class _Asked:
    """A formula with its name, and the states, or steps, in which it has to be true."""

    name: str
    formula: Expression
    places: Sequence[tuple[Fn, ...]]


def opinion_on(model: PlainModel, graph: DumpGraph, seconds: float = _EVALUATING) -> Opinion:
    """Evaluate the formulas of a model in its graph, for at most ``seconds``; formulas that take longer are ``beyond``.

    Invariants are evaluated in each state, the initial predicate in the initial ones, and the next-state relation in
    each step, but not under SYMMETRY or VIEW, where a step may lead to a state that only stands for its successor.
    """
    evaluation, until = Evaluation(model), time.monotonic() + seconds
    states, steps = [(state,) for state in graph.states.values()], 0
    asked = [_Asked(name, Name(name), states) for name in model.config.invariants]
    with suppress(SpecError):  # behaviours in another form are not evaluated
        initial, relation, _ = behaviours_of(model)
        asked.append(_Asked("initial states", initial, [(graph.states[number],) for number in graph.initial]))
        if not (model.config.symmetry or model.config.view):
            ends = dict.fromkeys((e.source, e.target) for e in graph.edges if e.source != e.target)
            pairs = [(graph.states[source], graph.states[target]) for source, target in ends]
            asked.append(_Asked("steps", relation, pairs))
            steps = len(pairs)
    agreed: list[str] = []
    differing: dict[str, tuple[Fn, ...]] = {}
    beyond: dict[str, str] = {}
    for number, each in enumerate(asked):
        now = time.monotonic()
        own = now + (until - now) / (len(asked) - number)  # an equal share of the time that is left
        evaluation.until = own
        for count, place in enumerate(each.places):
            try:
                if time.monotonic() > own:
                    beyond[each.name] = f"the time was up after {count:,} of {len(each.places):,}"
                    break
                if not evaluation.holds(each.formula, *place):
                    differing[each.name] = place
                    break
            except NotCoveredError as reason:
                beyond[each.name] = str(reason)
                break
        else:
            agreed.append(each.name)
    return Opinion(len(states), steps, tuple(agreed), differing, beyond)


def second_opinion(
    model: PlainModel, tools: Tools, distinct: int | None, *, heap_mib: int, cpu_seconds: int | None
) -> Opinion | None:
    """Have TLC write the graph of a model, which has a number of ``distinct`` states, and evaluate its formulas there.

    Return ``None`` for a model without states. If there are too many, or the time is up, the opinion has that reason.
    """
    if not distinct or not model.config.behaviours:
        return None
    if distinct > MOST_STATES:
        return _without(f"there are more than {MOST_STATES:,} states")
    config = replace(model.config, properties=())  # for temporal properties TLC writes states again
    with TemporaryDirectory(prefix="pyharness-second-") as directory:
        dump = Path(directory) / "states.dot"
        try:
            result = run_root(
                model,
                tools,
                Path(directory),
                (model.root(), config.text()),
                heap_mib=heap_mib,
                cpu_seconds=cpu_seconds,
                timeout=_SECONDS,
                check_deadlock=config.check_deadlock,
                dump=dump,
                quick_jvm=True,
            )
            graph = load_graph(dump) if result.outcome is Outcome.SUCCESS else None
        except HarnessError as error:
            return _without(error.message)
    if graph is None or len(graph.states) != distinct:
        return _without(f"TLC did not write the graph of {_count(distinct, 'state')}: {result.outcome.value}")
    return opinion_on(model, graph)


def _without(reason: str) -> Opinion:
    return Opinion(0, 0, (), {}, {_MODEL: reason})


def is_no_violation(model: PlainModel, name: str, trace: Trace | None) -> bool:
    """Return whether the last state of a counterexample satisfies the invariant that TLC reports as violated in it."""
    if name not in model.config.invariants or trace is None:
        return False
    try:
        evaluation = Evaluation(model)
        evaluation.until = time.monotonic() + _EVALUATING
        return evaluation.holds(Name(name), trace.steps[-1].state)
    except NotCoveredError:
        return False
