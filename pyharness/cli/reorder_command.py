"""``pyharness trace reorder``: the equivalent computation of a trace, white before red."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.base.errors import ConformanceError
from pyharness.base.toolchain.own_files import write_named
from pyharness.cli.application_options import APPLICATION, application_options, setting_of
from pyharness.cli.shared_options import FILE
from pyharness.gate.jobs.reordering_rows import itf_document_of, walk_traces
from pyharness.machines.replay.reorder import reorder as reorder_trace
from pyharness.models.machine_tools import find_tools
from pyharness.models.trace_system import coloured_system, read_behaviour
from pyharness.show.report.trace.reordering_text import reordering_text
from pyharness.tla.tlc.itf import itf_text

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "--protocol",
    metavar="NAME[:MUTANT]",
    help="The implementation that takes the trace; by default the one that the trace names, or has the variables of.",
)
@application_options
@click.option(
    "--tlc/--no-tlc", default=True, help="Whether TLC must accept the result as a behaviour of Computation."
)
@click.option("--out", type=FILE, help="Write the reordered trace to this file, as ITF.")
def reorder(
    trace: Path, protocol: str | None, *, setting: Mapping[str, Any], tlc: bool, out: Path | None
) -> None:
    """Turn TRACE, whose snapshot is complete, into the equivalent computation that the snapshot is a state of.

    TRACE may be a schedule, too: a file that ends in .toml.

    Each swap of a red action and the white one after it is taken in both orders by the implementation; all white
    actions then precede all red ones, and between them stands the recorded state. Exits with 1, and names the
    swap, if that cannot be done, or if TLC refuses the result; with 2 if the snapshot is not complete.
    """
    read, meta = read_behaviour(trace)
    meta |= setting_of(setting)
    system = coloured_system(read, meta, protocol, where=str(trace))
    reordering = reorder_trace(read, system)
    walk = None
    if tlc:
        (walk,) = walk_traces([reordering.trace], system.application, system.granularity, find_tools())
    if out is not None:
        write_named(
            out, itf_text(itf_document_of(reordering, {key: meta[key] for key in APPLICATION if key in meta}))
        )
    click.echo(reordering_text(reordering), nl=False)
    if walk is not None and walk.accepted:
        click.echo(str(walk))
    if walk is not None and not walk.accepted:
        raise ConformanceError(str(walk), where=str(trace))
