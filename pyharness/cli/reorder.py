"""``pyharness reorder``: the equivalent computation of a trace, white before red."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.cli.traces import items_of, system_of
from pyharness.errors import ConformanceError, SpecError
from pyharness.pipeline.examples import load_example
from pyharness.pipeline.examples import system_of as example_system
from pyharness.pipeline.places import find_tools
from pyharness.pipeline.reordered import itf_of
from pyharness.pipeline.walks import walk_traces
from pyharness.replay import PROTOCOLS, build_system
from pyharness.replay.reorder import reorder as reorder_trace
from pyharness.report.reordering import reordering_document, reordering_text
from pyharness.tlc import read_trace
from pyharness.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyharness.pipeline.walks import Walk
    from pyharness.replay import System
    from pyharness.tlc import Trace

__all__ = ["FORMAT", "reorder"]

FORMAT = "pyharness-reorder/1"
"""Names the JSON document and its version."""


@click.command(short_help="Sort a trace's actions: white before red, the snapshot between.")
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "--protocol",
    metavar="NAME[:MUTANT]",
    help="The implementation that takes the trace; by default what the trace says, or has the variables of.",
)
@click.option(
    "--tlc/--no-tlc", default=True, help="Whether TLC must accept the result as a behaviour of Computation."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write the reordered trace to this file, as ITF."
)
def reorder(trace: Path, protocol: str | None, *, tlc: bool, as_json: bool, out: Path | None) -> None:
    """Turn TRACE, whose snapshot is complete, into the equivalent computation that the snapshot is a state of.

    Each swap of a red action and the white one behind it is taken in both orders by the implementation; all white
    actions then precede all red ones, and between them stands the recorded state. Exits with 1, and says at which
    swap, if that cannot be done, or if TLC refuses the result; with 2 if the snapshot is not complete.
    """
    read, meta = read_trace(trace)
    system = _system(read, meta, protocol, trace)
    reordering = reorder_trace(read, system)
    walk = None
    if tlc:
        (walk,) = walk_traces([reordering.trace], system.application, system.granularity, find_tools())
    if out is not None:
        out.write_text(itf_of(reordering, _setting(meta)), encoding="utf-8")
    if as_json:
        document = {
            "format": FORMAT,
            "protocol": system.protocol,
            **reordering_document(reordering),
            "tlc": _walked(walk),
        }
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        click.echo(reordering_text(reordering), nl=False)
        if walk is not None and walk.accepted:
            click.echo(str(walk))
    if walk is not None and not walk.accepted:
        raise ConformanceError(str(walk), where=str(trace))


def _walked(walk: Walk | None) -> dict[str, Any] | None:
    return None if walk is None else {"accepted": walk.accepted, "steps": walk.steps, "length": walk.length}


def _setting(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Give what a trace's meta says of its application, without the predicate that only a collector tests."""
    kept = ("application", "items", "placement", "constants")
    return {key: meta[key] for key in kept if key in meta}


def _system(trace: Trace, meta: Mapping[str, Any], protocol: str | None, path: Path) -> System:
    """Compose the implementation that is to take the trace."""
    if isinstance(meta.get("example"), str):
        system = example_system(load_example(meta["example"]))
        if system.protocol not in PROTOCOLS:
            raise SpecError(f"{system.protocol} has no colours to sort by", where=str(path))
        return system
    topo = trace.steps[0].state.get("topo")
    if not isinstance(topo, str):
        raise SpecError("the trace names no topology", where=f"{path}, variable topo")
    topology = Topology.from_id(topo)
    granularity = "action" if meta.get("granularity") == "action" else "event"

    def build(name: str, mutant: str | None = None) -> System:
        if "application" in meta:
            return system_of(meta, name, topology, granularity, mutant, where=str(path))
        return build_system(name, topology, items_of(trace), granularity, mutant)

    said = protocol or (meta["spec"] if meta.get("spec") in list(PROTOCOLS) else None)
    if said is None:
        return _by_variables(build, trace, path)
    name, _, mutant = said.partition(":")
    return build(name, mutant or None)


def _by_variables(build: Callable[[str], System], trace: Trace, path: Path) -> System:
    variables = set(trace.steps[0].state)
    for system in map(build, PROTOCOLS):
        if set(system.variables(next(system.initial()))) == variables:
            return system
    raise SpecError(
        "no protocol has the variables of this trace",
        where=str(path),
        hint=f"the trace has {', '.join(sorted(map(str, variables)))}; say --protocol NAME",
    )
