"""The formulas that are proved as a third party: TLC's successors are Python's, and they are the formulas'.

`pyharness prove` proves formulas. Here they are held against TLC's state graphs, state by state and
action by action, as an implementation is, and each conjunct of the invariant is evaluated in each state. That ties what
is proved to the TLA+ modules: by a check, not by a proof.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import ConformanceError, SpecError
from pyharness.hold.conformance.comparison import compare
from pyharness.hold.conformance.graph_run import write_graph
from pyharness.hold.conformance.subject import ComparedModel, Implementation, subject_of
from pyharness.machines.systems import find_protocol
from pyharness.machines.systems.composition import has_twin
from pyharness.prove.first_order_system import FirstOrderSystem
from pyharness.prove.proof_catalogue import MODULES, system
from pyharness.tla.values import Fn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyharness.base.topology import Topology
    from pyharness.gate.plans.plan import Plan
    from pyharness.hold.conformance.comparison import Conformance
    from pyharness.hold.conformance.subject import OnTopology, OwnState
    from pyharness.machines.replay.wander import Wander
    from pyharness.machines.systems import Composition
    from pyharness.models.machine_tools import Tools
    from pyharness.models.model import Model
    from pyharness.tla.modules.library import Library


@dataclass(frozen=True)
class Agreement:
    """How three parties got on: TLC with Python, and TLC with the formulas, on the same state graph.

    ``refused`` has the objections of the formulas to a state of TLC's: that the invariant does not hold in it, for
    instance; then they were not compared. ``unasked`` are the graphs on which an assumption of the proof does not hold,
    each with its name: there the successors were compared, but the invariant was not asked for.
    """

    python: Conformance
    formulas: Conformance | None
    refused: str
    unasked: tuple[tuple[str, str], ...]

    @property
    def agreed(self) -> bool:
        """All three do the same everywhere, and the invariant holds."""
        return self.python.agreed and self.formulas is not None and self.formulas.agreed


class FirstOrderImplementation(Implementation):
    """The formulas of a proof module, or of its mutant, in the place of an implementation.

    A state in which a conjunct of the invariant does not hold raises ConformanceError, unless the module is mutated.
    """

    def __init__(
        self,
        composition: Composition,
        mutant: str | None = None,
        *,
        stop_when_over: bool = True,
        wander: Wander | None = None,
    ) -> None:
        twin = mutant if has_twin(composition.protocol, mutant) else None
        super().__init__(composition, twin, stop_when_over=stop_when_over, wander=wander)
        self._module = system(composition.protocol, mutant or "")
        self._asked = mutant is None
        self._on_graph: dict[str, FirstOrderSystem] = {}

    def unassumed(self, topology: Topology) -> str | None:
        """Name an assumption of the proof that does not hold on a graph."""
        on = self.on(topology)
        own = next(iter(self.initial(topology).values()))
        return next(iter(self.formulas(topology).unassumed(_variables(on.variables(own.state)))), None)

    def formulas(self, topology: Topology) -> FirstOrderSystem:
        """Return the formulas on a graph."""
        if topology.id not in self._on_graph:
            self._on_graph[topology.id] = FirstOrderSystem(
                self._module,
                topology,
                self.composition.application,
                self.composition.granularity,
                {**find_protocol(self.composition.protocol).constants, **self.composition.constants},
            )
        return self._on_graph[topology.id]

    def initial(self, topology: Topology) -> dict[int, OwnState]:
        """Return those of the application's initial states in which a behaviour may begin, or where walks come to."""
        if self._wander is not None:
            return super().initial(topology)
        begins, on = self.formulas(topology).begins, self.on(topology)
        own = super().initial(topology)
        return {key: one for key, one in own.items() if begins(_variables(on.variables(one.state)))}

    def _steps(self, on: OnTopology, state: Any) -> Iterator[tuple[str, Any]]:
        """Yield the steps of the formulas; a state after one is the implementation's own where that has the same step."""
        variables = _variables(on.variables(state))
        formulas = self.formulas(on.system.topology)
        if self._asked and (broken := formulas.broken(variables)) and not formulas.unassumed(variables):
            raise ConformanceError(f"the invariant of the proof does not hold: {', '.join(broken)}")
        if isinstance(state, Fn):
            own, over = {}, False
        else:
            over = self._stop_when_over and on.system.over(state)
            own = {on.variables(step.after): step.after for step in on.system.actions(state)}
        for name, after in () if over else formulas.successors(variables):
            found = Fn({"topo": on.system.topology.id, **after}.items())
            yield name, own.get(found, found)


class FirstOrderSubject(ComparedModel):
    """A subject of which the formulas are built, not the implementation; ``mutant`` is one of the proof's."""

    def build(self) -> FirstOrderImplementation:
        """Make them ready."""
        built = super().build()
        return FirstOrderImplementation(
            built.composition, self.mutant, stop_when_over=self.stop_when_over, wander=self.wander
        )


def _variables(state: Fn) -> dict[str, Any]:
    return {str(name): value for name, value in state.items()}


def first_order_subject(model: Model, mutant: str | None = None) -> FirstOrderSubject:
    """Return the formulas for a model. Raises SpecError for a module of which nothing is proved."""
    if model.spec not in MODULES:
        raise SpecError(
            f"nothing is proved of {model.spec!r}", where=model.name, hint=f"there are: {', '.join(MODULES)}"
        )
    own: Any = subject_of(model, None)
    given = {field.name: getattr(own, field.name) for field in fields(own)}
    return FirstOrderSubject(**{**given, "mutant": mutant})


def hold_together(
    model: Model,
    library: Library,
    tools: Tools,
    *,
    mutant: str | None = None,
    say: Callable[[str], None] | None = None,
) -> Agreement:
    """Run TLC on a model, and hold Python, and the formulas that are proved, against its state graph.

    With a ``mutant`` both have the seeded bug of that name. Raises what ``conform_model`` does; SpecError also for a
    module of which nothing is proved.
    """
    formulas, python = first_order_subject(model, mutant), subject_of(model, mutant)
    built = formulas.build()
    unasked = [(graph.id, built.unassumed(graph) or "") for graph in model.topologies]
    with tempfile.TemporaryDirectory(prefix="pyharness-conform-") as directory:
        dump = Path(directory) / "graph.dot"
        result = write_graph(model, library, tools, dump, say)
        if say:
            say(f"comparing {result.distinct or 0:,} states with Python")
        one = compare(model, python, dump, result)
        if say:
            say(f"comparing {result.distinct or 0:,} states with the formulas")
        try:
            other, refused = compare(model, formulas, dump, result), ""
        except ConformanceError as error:
            other, refused = None, error.message
    return Agreement(one, other, refused, tuple((graph, why) for graph, why in unasked if why))


_MOST_STATES: Final = 5_000
"""A model with more states is left out where many are compared: formulas are slower than the implementation."""


@dataclass(frozen=True)
class Held:
    """A model on which the three parties were compared: its graphs, TLC's distinct states, and its transitions.

    ``asked`` of its graphs are those on which the proof's assumptions hold: only there was the invariant asked for.
    """

    model: str
    spec: str
    graphs: int
    states: int
    steps: int
    asked: int

    def __str__(self) -> str:
        return f"{self.model} {self.spec} {self.graphs} {self.states} {self.steps} {self.asked}"

    @property
    def found(self) -> str:
        """The findings, in words that go no further than the comparison."""
        same = f"{self.graphs} graphs, {self.states:,} states, {self.steps:,} steps: TLC, Python and the proof agree"
        if self.asked == self.graphs:
            return f"{same}, and the invariant holds"
        if not self.asked:
            return f"{same}; the invariant was not asked for: no graph is as the proof assumes"
        return f"{same}; the invariant holds on the {self.asked} graphs that are as the proof assumes"


def held_models(plan: Plan, specs: Sequence[str] = ()) -> list[Model]:
    """Return the models of a plan that are compared: the correct ones of proved modules, of these if any are named.

    Those with more than :data:`_MOST_STATES` are left out, and those that wander through large graphs.
    """
    wanted = set(MODULES).intersection(specs or MODULES)
    compared = [m for m in plan.models if m.conform and m.mutant is None and m.spec in wanted]
    return [m for m in compared if not m.wander and m.pins is not None and m.pins.distinct <= _MOST_STATES]


def hold(model: Model, library: Library, tools: Tools, say: Callable[[str], None] | None = None) -> Held:
    """Hold the three parties together on a model.

    Raises ConformanceError where they differ, and what :func:`hold_together` does.
    """
    found = hold_together(model, library, tools, say=say)
    if not found.agreed:
        compared = found.formulas.mismatches if found.formulas is not None else 0
        raise ConformanceError(
            found.refused or f"{found.python.mismatches} mismatches with Python, {compared} with the proof",
            where=model.name,
            hint=f"pyharness hold python {model.spec} --first-order shows the first",
        )
    graphs, python = len(model.topologies), found.python
    asked = graphs - len(found.unasked)
    return Held(model.name, model.spec, graphs, python.states, python.transitions, asked)
