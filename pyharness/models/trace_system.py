"""Read a trace from a file, in any supported format, and compose the implementation that it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.clean_text import clean
from pyharness.base.topology import Topology
from pyharness.machines.protocols import MODES, Items
from pyharness.machines.replay.schedule_traces import read_schedule_trace, schedule_of
from pyharness.machines.systems import APPLICATIONS, PROTOCOLS, Composition, build_system, find_protocol
from pyharness.tla.tlc import read_trace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyharness.machines.systems import System
    from pyharness.tla.tlc import Trace


def read_behaviour(path: Path, nth: int = 1) -> tuple[Trace, dict[str, Any]]:
    """Read a behaviour from ``path``, the ``nth`` where there are several, and its metadata.

    A file whose name ends in ``.toml`` is a schedule; any other is a trace (see :func:`pyharness.tla.tlc.read_trace`).

    Raises SpecError, naming the file and the place in it, for a file that is neither.
    """
    return read_schedule_trace(path) if path.suffix == ".toml" else read_trace(path, nth)


def system_for(
    trace: Trace, meta: Mapping[str, Any], protocol: str | None = None, *, where: str = "the trace"
) -> System:
    """Compose the implementation that is to take a trace whose document has this ``meta``.

    It is ``protocol`` (``NAME`` or ``NAME:MUTANT``), or else the one that the meta names, or else the first whose
    variables the trace has. The application is the one that the meta names (``application``, ``items``, ``placement``,
    ``constants``), or that of its schedule; if it names neither, the application is items that move, read from the
    first state.

    Raises SpecError, naming ``where``, if there is none.
    """
    if not isinstance(meta.get("constants", {}), dict):
        raise SpecError("constants are not a table", where=f"{where}, #meta")
    if isinstance(meta.get("module"), str) and "spec" not in meta and protocol is None:
        module = clean(meta["module"])
        raise SpecError(
            f"it is a trace of the module {module}, of which there is no implementation",
            where=where,
            hint=f"pyharness explore {module}.tla --trace FILE walks along it, and pyharness trace export shows it",
        )
    schedule = schedule_of(meta, where)
    topology = topology_of(trace, where=where)
    chosen = protocol or (meta["spec"] if meta.get("spec") in list(PROTOCOLS) else None)
    if schedule is not None:
        name, _, mutant = (chosen or schedule.protocol).partition(":")
        composition = Composition(name, schedule.application, constants=schedule.constants)
        return composition.on(topology, mutant or None)
    if chosen is None:
        return _by_variables(trace, meta, topology, where)
    name, _, mutant = chosen.partition(":")
    find_protocol(name)
    return _build(trace, meta, name, topology, mutant or None, where)


def coloured_system(
    trace: Trace, meta: Mapping[str, Any], protocol: str | None = None, *, where: str = "the trace"
) -> System:
    """Compose the implementation that is to take a trace, as :func:`system_for`, of a protocol with colours.

    Raises SpecError, naming ``where``, if the protocol has none.
    """
    system = system_for(trace, meta, protocol, where=where)
    if not PROTOCOLS[system.protocol].coloured:
        raise SpecError(f"{system.protocol} has no colours to sort by: it has no one snapshot", where=where)
    return system


def topology_of(trace: Trace, *, where: str) -> Topology:
    """Read the topology that the variable ``topo`` names. Raises SpecError, naming ``where``, if it names none."""
    topo = trace.steps[0].state.get("topo") if trace.steps else None
    if not isinstance(topo, str):
        hint = "its states name their graph: see `pyharness topologies --help`"
        raise SpecError("the trace names no topology", where=f"{where}, variable topo", hint=hint)
    try:
        return Topology.from_id(topo)
    except SpecError as error:
        raise SpecError(error.message, where=f"{where}, variable topo", hint=error.hint) from error


def items_of(trace: Trace, *, where: str = "the trace") -> Items:
    """Derive the items application from a trace's first state: the items, and the process that holds each.

    Raises SpecError, naming ``where``, when the first state's processes do not hold sets.
    """
    state = trace.steps[0].state.get("state")
    if not isinstance(state, tuple) or not all(isinstance(held, frozenset) for held in state):
        raise SpecError(
            "not every process holds a set, so this trace is not of items that move",
            where=f"{where}, step 1, variable state",
            hint='write {"#set": [...]} for what a process holds, or name the application: --application, '
            "--items, --placement, --constant",
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
    """Compose the implementation that a trace is about, from the application and the predicate in its meta.

    Raises SpecError, naming ``where``, for a meta that does not name them properly.
    """
    constants, items = meta.get("constants", {}), meta.get("items", 2)
    placement, predicate = meta.get("placement", "spread"), meta.get("predicate")
    known = (
        meta["application"] in list(APPLICATIONS)
        and type(items) is int
        and 1 <= items <= 9
        and placement in ["initiator", "spread", "any"]
        and isinstance(constants, dict)
        and all(type(value) is int or value in MODES for value in constants.values())
        and (predicate is None or isinstance(predicate, str))
    )
    if not known:
        raise SpecError("the trace does not describe its application", where=f"{where}, #meta")
    application = APPLICATIONS[meta["application"]]
    given = {**application.constants, **constants}
    built = application.build(items, placement, given)
    return Composition(spec, built, granularity, given, predicate).on(topology, mutant)


def _build(
    trace: Trace, meta: Mapping[str, Any], name: str, topology: Topology, mutant: str | None, where: str
) -> System:
    granularity = "action" if meta.get("granularity") == "action" else "event"
    if "application" in meta:
        return system_of(meta, name, topology, granularity, mutant, where=where)
    return build_system(name, topology, items_of(trace, where=where), granularity, mutant)


def _by_variables(trace: Trace, meta: Mapping[str, Any], topology: Topology, where: str) -> System:
    """Compose the implementation of the first protocol with colours that has the variables of a trace."""
    variables = set(trace.steps[0].state)
    spec = meta.get("spec")
    if "state" not in variables and isinstance(spec, str):
        hint = "a trace is taken by a Python implementation of its spec, or of one that it extends"
        raise SpecError(f"Python has no {spec}", where=where, hint=hint)
    fitting = [name for name, s in PROTOCOLS.items() if s.coloured and not s.system.unassumed(topology)]
    for name in fitting:
        system = _build(trace, meta, name, topology, None, where)
        if set(system.variables(next(system.initial()))) == variables:
            return system
    raise SpecError(
        "no protocol has the variables of this trace",
        where=where,
        hint=f"the trace has {', '.join(sorted(map(str, variables)))}; add --protocol NAME",
    )
