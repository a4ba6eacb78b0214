"""A model: a spec, its topologies and bounds, and what checking it must yield; rendered for TLC."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from pyharness.protocols import Items
from pyharness.tla.render import APPLICATION, Rendered, render_model

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.pipeline.modules import Library
    from pyharness.topology import Topology

__all__ = ["Budget", "Model", "Pins", "SimulationBudget"]


@dataclass(frozen=True)
class Budget:
    """What one TLC run may take: wall seconds and MiB of Java heap."""

    seconds: int = 120
    heap_mb: int = 2048


@dataclass(frozen=True)
class Pins:
    """The counts a passing model must have."""

    distinct: int
    generated: int


@dataclass(frozen=True)
class SimulationBudget:
    """How many behaviours TLC simulates for replay, to what depth, from which seed."""

    traces: int
    depth: int = 30
    seed: int = 1


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
    constants: Mapping[str, int] = field(default_factory=dict)
    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    unreached: tuple[str, ...] = ()
    overrides: Mapping[str, str] = field(default_factory=dict)
    mutant: str | None = None
    depth: int | None = None
    expect: str = "pass"
    caught_by: tuple[str, ...] = ()
    pins: Pins | None = None
    simulate: SimulationBudget | None = None
    explore: bool = False
    conform: bool = False
    budget: Budget = field(default_factory=Budget)

    @property
    def history(self) -> bool:
        """Whether the spec is one with histories, whose definitions begin with H."""
        return self.spec.endswith("History")

    @cached_property
    def application(self) -> Items:
        """The application of the implementation."""
        return Items(self.items, self.placement)

    def render(
        self,
        library: Library,
        topologies: tuple[Topology, ...] | None = None,
        properties: tuple[str, ...] | None = None,
        *,
        firsts: bool = False,
        probes: Mapping[str, str] | None = None,
    ) -> Rendered:
        """Render the model for TLC, on all its topologies and with all its properties or only on those given.

        With ``firsts`` one run with ``-continue`` finds each property's first violation on each topology. With
        ``probes`` there are no properties but these: state formulas by name, each violated where it holds.
        """
        overrides = [(name, f"Items{name}") for name in APPLICATION]
        overrides += list(self.overrides.items())
        checked = self.properties if properties is None else properties
        invariants = self.invariants if properties is None else ()
        formulas: list[tuple[str, str, str]] = []
        if firsts:
            formulas = [(name, *library.formula(self.spec, name)) for name in (*invariants, *checked)]
        if probes is not None:
            invariants, checked = tuple(probes), ()
            formulas = [(name, "state", f"~({formula})") for name, formula in probes.items()]
        if self.mutant:
            definitions = library.module(self.mutant).definitions
            overrides += [
                (name.removeprefix(self.mutant), name) for name in definitions if name.startswith(self.mutant)
            ]
        constants = [
            ("Item", f"1..{self.items}"),
            ("Placement", f'"{self.placement}"'),
            ("Granularity", f'"{self.granularity}"'),
            *((name, str(value)) for name, value in self.constants.items()),
        ]
        return render_model(
            title=f"{self.name}: rendered from a plan",
            extends=[self.spec, *([self.mutant] if self.mutant else []), "Items"],
            graphs=self.topologies if topologies is None else topologies,
            constants=constants,
            overrides=overrides,
            invariants=invariants,
            properties=checked,
            stop=self.stop,
            fair=self.fair,
            history=self.history,
            depth=self.depth,
            firsts=formulas,
        )
