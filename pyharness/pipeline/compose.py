"""The implementation that a trace is about, from what the trace says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.errors import SpecError
from pyharness.pipeline.examples import load_example
from pyharness.pipeline.examples import system_of as example_system
from pyharness.pipeline.model import APPLICATIONS, Model
from pyharness.protocols import MODES, Items
from pyharness.replay import PROTOCOLS, build_system
from pyharness.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyharness.replay import System
    from pyharness.tlc import Trace

__all__ = ["coloured_system", "items_of", "system_of"]


def items_of(trace: Trace) -> Items:
    """Derive the items application from a trace's first state: which items there are, and who holds them.

    Raises SpecError when the first state's processes do not hold sets.
    """
    state = trace.steps[0].state.get("state")
    if not isinstance(state, tuple) or not all(isinstance(held, frozenset) for held in state):
        raise SpecError(
            "this trace is not of items that move",
            where="step 1, variable state",
        )
    placement = {
        number: tuple(held) for number, held in enumerate(state, start=1) if isinstance(held, frozenset)
    }
    return Items(sorted((i for held in placement.values() for i in held), key=str), placement)


def system_of(
    meta: Mapping[str, Any],
    spec: str,
    topology: Topology,
    granularity: str,
    mutant: str | None,
    *,
    where: str,
) -> System:
    """Compose the implementation that a trace is about, from what its meta says of application and predicate.

    Raises SpecError, naming ``where``, for a meta that does not say it.
    """
    constants, items, predicate = meta.get("constants"), meta.get("items"), meta.get("predicate")
    known = (
        meta["application"] in list(APPLICATIONS)
        and type(items) is int
        and 1 <= items <= 9
        and meta.get("placement") in ["initiator", "spread", "any"]
        and isinstance(constants, dict)
        and all(type(value) is int or value in MODES for value in constants.values())
        and (predicate is None or isinstance(predicate, str))
    )
    if not known:
        raise SpecError("the trace does not say what its application is", where=f"{where}, #meta")
    model = Model(
        "trace",
        spec,
        (topology,),
        items=items if isinstance(items, int) else 0,
        placement=meta["placement"],
        granularity=granularity,
        application=meta["application"],
        predicate=predicate,
        constants=constants if isinstance(constants, dict) else {},
    )
    return model.system(topology, mutant)


def coloured_system(
    trace: Trace, meta: Mapping[str, Any], protocol: str | None = None, *, where: str = "the trace"
) -> System:
    """Compose the implementation that is to take a trace with colours: that of the spec its meta names.

    ``protocol`` names another, as ``NAME`` or ``NAME:MUTANT``. Raises SpecError, naming ``where``, when there is none.
    """
    if isinstance(meta.get("example"), str):
        system = example_system(load_example(meta["example"]))
        if system.protocol not in PROTOCOLS:
            raise SpecError(f"{system.protocol} has no colours to sort by", where=where)
        return system
    topo = trace.steps[0].state.get("topo")
    if not isinstance(topo, str):
        raise SpecError("the trace names no topology", where=f"{where}, variable topo")
    topology = Topology.from_id(topo)
    granularity = "action" if meta.get("granularity") == "action" else "event"

    def build(name: str, mutant: str | None = None) -> System:
        if "application" in meta:
            return system_of(meta, name, topology, granularity, mutant, where=where)
        return build_system(name, topology, items_of(trace), granularity, mutant)

    said = protocol or (meta["spec"] if meta.get("spec") in list(PROTOCOLS) else None)
    if said is None:
        return _by_variables(build, trace, where)
    name, _, mutant = said.partition(":")
    return build(name, mutant or None)


def _by_variables(build: Callable[[str], System], trace: Trace, where: str) -> System:
    """Find the protocol by its variables; checkpoints have no colours, and are not among those to choose from."""
    variables = set(trace.steps[0].state)
    for system in map(build, (name for name in PROTOCOLS if name != "Checkpoints")):
        if set(system.variables(next(system.initial()))) == variables:
            return system
    raise SpecError(
        "no protocol has the variables of this trace",
        where=where,
        hint=f"the trace has {', '.join(sorted(map(str, variables)))}; say --protocol NAME",
    )
