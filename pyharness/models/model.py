"""A model: a spec, its topologies and bounds, and the expected result; rendered for TLC."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import SpecError
from pyharness.machines.replay.wander import walked_states
from pyharness.machines.systems import APPLICATIONS, PROTOCOLS, Composition, implementation_of
from pyharness.models.bounds import Budget
from pyharness.models.render import APPLICATION, Rendered, render_model
from pyharness.models.theorems import theorems_of
from pyharness.tla.values import to_tla

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyharness.base.topology import Topology
    from pyharness.machines.protocols import Application
    from pyharness.machines.replay.wander import Wander
    from pyharness.machines.systems import System
    from pyharness.models.bounds import Pins, SimulationBudget
    from pyharness.models.theorems import Hypothesis, Theorem
    from pyharness.tla.modules.library import Library

PREDICATES_MODULE: Final = "Predicates"
"""The module of the predicates, which are about Tasks."""

DEFAULT_APPLICATION: Final = "Items"
"""The application of a model that names none."""

LOWER_BOUND: Final = "LowerBound"
"""The constant for the law with duplicates allowed; only a dataflow has one."""

NOTHING_LOST: Final = "NothingLost"
"""The definition of the law with duplicates allowed, in an application or in the spec itself."""

GIVEN_CONSTANTS: Final = frozenset({"Graphs", "Granularity", "Predicate", LOWER_BOUND, *APPLICATION})
"""The constants of a spec that every model gives, or a key of its own; the others are the spec's own."""

NOT_COMPARABLE: Final = f"it is done for {', '.join(PROTOCOLS)}"
"""The hint for a model that is not comparable."""

_PREDICATE_NOW: Final = "Holds(S1)"
"""The predicate of the present global state, in a spec that tests predicates."""

_ENOUGH: Final = {"Enough": 1}


@dataclass(frozen=True)
class Model:
    """One model of a plan; the fields are those of the plan file."""

    name: str
    spec: str
    topologies: tuple[Topology, ...]
    items: int = 2
    placement: str = "spread"
    granularity: str = "event"
    fair: bool = False
    stop: str = "Over"
    application: str = DEFAULT_APPLICATION
    predicate: str | None = None
    constants: Mapping[str, int | str] = field(default_factory=dict)
    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    unreached: tuple[str, ...] = ()
    reached: tuple[str, ...] = ()
    overrides: Mapping[str, str] = field(default_factory=dict)
    mutant: str | None = None
    depth: int | None = None
    per_run: int | None = None
    expect: str = "pass"
    caught_by: tuple[str, ...] = ()
    pins: Pins | None = None
    simulate: SimulationBudget | None = None
    wander: Wander | None = None
    conform: bool = False
    stated: bool = True
    budget: Budget = field(default_factory=Budget)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that the rendered model extends."""
        return (
            self.spec,
            *([self.mutant] if self.mutant else []),
            self.application,
            *([PREDICATES_MODULE] if self.predicate else []),
        )

    @property
    def unchecked(self) -> Model:
        """The model without its properties and without fairness: its states and steps are the same."""
        return replace(self, invariants=(), properties=(), fair=False)

    @property
    def batches(self) -> list[tuple[Topology, ...]]:
        """The topologies of each check of TLC: the cost of a state grows with the number of graphs in its run.

        In a model that is to fail each topology is alone, so that the violated property is known for each.
        """
        graphs = self.topologies
        size = (self.per_run or len(graphs)) if self.expect == "pass" else 1
        return [graphs[first : first + size] for first in range(0, len(graphs), size)]

    @property
    def defaults(self) -> Mapping[str, int | str]:
        """The constants that a model may leave out, with their defaults: of application, predicate and spec."""
        registered = PROTOCOLS.get(self.spec)
        return {
            **APPLICATIONS[self.application].constants,
            **(_ENOUGH if self.predicate else {}),
            **(registered.optional if registered else {}),
        }

    @property
    def setting(self) -> dict[str, Any]:
        """The metadata of a trace of the model, beside spec and topology, that is needed to replay it by itself."""
        registered = PROTOCOLS.get(self.spec)
        if self.application == "Items" and not (registered and registered.constants):
            return {}
        kept = ("application", "predicate", "items", "placement")
        return {key: getattr(self, key) for key in kept} | {"constants": dict(self.constants)}

    def trace_facts(self, title: str, violated: str | None = None) -> dict[str, Any]:
        """Return the facts in the document of a behaviour of the model: its ``title``, and all that is needed to replay it."""
        return {
            "title": title,
            "spec": self.spec,
            "mutant": self.mutant,
            "granularity": self.granularity,
            "violated": violated,
            **self.setting,
        }

    @property
    def comparable(self) -> bool:
        """Whether there is an implementation with the spec's own name, to be compared with it in each state."""
        return self.spec in PROTOCOLS

    @property
    def composition(self) -> Composition:
        """The composition of the model's implementation. Raises SpecError when there is none."""
        protocol = implementation_of(self.spec)
        if protocol is None:
            raise SpecError(f"Python has no {self.spec}")
        constants = {**self.defaults, **self.constants}
        return Composition(protocol, self.build_application(), self.granularity, constants, self.predicate)

    @property
    def composed_of(self) -> dict[str, Any]:
        """All settings that determine the model's implementation, except its topology and the code, as plain values."""
        return {
            "spec": self.spec,
            "mutant": self.mutant,
            "granularity": self.granularity,
            "setting": [self.application, self.predicate, self.items, self.placement],
            "constants": sorted({**self.defaults, **self.constants}.items()),
        }

    def system(self, topology: Topology, mutant: str | None = None) -> System:
        """Compose the implementation of the model, or its ``mutant``, on a topology.

        Raises SpecError when there is none.
        """
        return self.composition.on(topology, mutant)

    def begins(self, topologies: Sequence[Topology]) -> list[dict[str, str]]:
        """Return the states of walks in which behaviours begin, as TLA+ by variable; none if the spec's Init is used."""
        if self.wander is None:
            return []
        stops, made_of = bool(self.stop), self.composed_of
        return walked_states(
            self.composition, topologies, self.wander, stop_when_over=stops, composed_of=made_of
        )

    def build_application(self) -> Application:
        """Return the implementation of the application, with the model's items, placement and constants."""
        constants = {**self.defaults, **self.constants}
        return APPLICATIONS[self.application].build(self.items, self.placement, constants)

    def theorems(self, library: Library, names: Iterable[str]) -> tuple[Theorem, ...]:
        """Return the theorems about those properties of the model, for which it checks them.

        There are none for a model that is to fail, or that checks its properties regardless of theorems.
        """
        if self.expect != "pass" or not self.stated:
            return ()
        stated = theorems_of(library, self.spec)
        return tuple(stated[name] for name in names if name in stated)

    def assumed(self, library: Library, names: Iterable[str]) -> tuple[Hypothesis, ...]:
        """Return the hypotheses of the theorems about those properties, each once, under unique names.

        Hypotheses that the model checks anyway are left out.
        """
        checked = (*self.invariants, *self.properties)
        given = (each for theorem in self.theorems(library, names) for each in theorem.hypotheses)
        found: dict[str, Hypothesis] = {}
        for each in dict.fromkeys(one for one in given if one.formula not in checked):
            name = each.name if each.name not in found else f"{each.name}{len(found)}"
            found[name] = each._replace(name=name)
        return tuple(found.values())

    def render(
        self,
        library: Library,
        *,
        watched: bool = False,
        module: str = "Model",
        begins: int | None = None,
    ) -> Rendered:
        """Render the model for TLC as this ``module``.

        With ``watched``, the predicate of a model that has one is an action that changes nothing, taken exactly where it
        holds (:func:`~pyharness.models.render.render_model`). At most ``begins`` states of walks are initial states.
        """
        return render_model(
            title=f"{self.name}: rendered from a plan",
            extends=self.modules,
            graphs=self.topologies,
            begins=self.begins(self.topologies)[:begins],
            constants=self.constants_for(),
            overrides=[*self.overrides_for(library), *self.mutant_overrides(library)],
            invariants=self.invariants,
            properties=self.properties,
            assumed=self.assumed(library, (*self.invariants, *self.properties)),
            stop=self.stop,
            fair=self.fair,
            prefix=library.prefix(self.spec),
            depth=self.depth,
            watched=_PREDICATE_NOW if watched and self.predicate else "",
            module=module,
        )

    def overrides_for(self, library: Library) -> list[tuple[str, str]]:
        """Return the operators that the model overrides, its mutant aside, each with its replacement."""
        overrides = [(name, f"{self.application}{name}") for name in APPLICATION]
        if self.predicate:
            overrides.append(("Predicate", self.predicate))
        if LOWER_BOUND in library.constants(self.spec):
            overrides.append((LOWER_BOUND, NOTHING_LOST))
        return [*overrides, *self.overrides.items()]

    def mutant_overrides(self, library: Library) -> list[tuple[str, str]]:
        """Return the operators that the model's mutant overrides, each with its replacement."""
        if not self.mutant:
            return []
        definitions = library.module(self.mutant).definitions
        return [
            (name.removeprefix(self.mutant), name) for name in definitions if name.startswith(self.mutant)
        ]

    def constants_for(self) -> list[tuple[str, str]]:
        """Return the constants of the model as TLA+, by name."""
        items = [("Item", f"1..{self.items}"), ("Placement", f'"{self.placement}"')]
        return [
            *(items if APPLICATIONS[self.application].items else []),
            ("Granularity", f'"{self.granularity}"'),
            *((name, to_tla(value)) for name, value in {**self.defaults, **self.constants}.items()),
        ]
