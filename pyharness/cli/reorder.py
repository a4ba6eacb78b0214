"""``pyharness reorder``: the equivalent computation of a trace, white before red."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.cli.traces import items_of, read_trace
from pyharness.errors import ConformanceError, SpecError
from pyharness.pipeline.examples import load_example, system_of
from pyharness.pipeline.places import find_tools
from pyharness.pipeline.reordered import itf_of, walk_traces
from pyharness.replay import PROTOCOLS, build_system
from pyharness.replay.reorder import reorder as reorder_trace
from pyharness.report.reordering import reordering_document, reordering_text
from pyharness.topology import Topology

if TYPE_CHECKING:
    from pyharness.pipeline.reordered import Walk
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
    help="The implementation that takes the trace; by default the one whose variables the trace has.",
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
        (walk,) = walk_traces([reordering.trace], system.application, system.granularity, find_tools())  # type: ignore[arg-type]
    if out is not None:
        out.write_text(itf_of(reordering), encoding="utf-8")
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


def _system(trace: Trace, meta: dict[str, Any], protocol: str | None, path: Path) -> System:
    """Compose the implementation that is to take the trace."""
    if isinstance(meta.get("example"), str):
        system = system_of(load_example(meta["example"]))
        if system.protocol not in PROTOCOLS:
            raise SpecError(f"{system.protocol} has no colours to sort by", where=str(path))
        return system
    topo = trace.steps[0].state.get("topo")
    if not isinstance(topo, str):
        raise SpecError("the trace names no topology", where=f"{path}, variable topo")
    name, _, mutant = protocol.partition(":") if protocol else (None, "", "")
    granularity = "action" if meta.get("granularity") == "action" else "event"
    topology, application = Topology.from_id(topo), items_of(trace)
    if name:
        return build_system(name, topology, application, granularity, mutant or None)
    variables = set(trace.steps[0].state)
    for candidate in PROTOCOLS:
        system = build_system(candidate, topology, application, granularity)
        if set(system.variables(next(system.initial()))) == variables:
            return system
    raise SpecError(
        "no protocol has the variables of this trace",
        where=str(path),
        hint=f"the trace has {', '.join(sorted(map(str, variables)))}; say --protocol NAME",
    )
