"""``pyharness explore``: a protocol's behaviours by hand, in a page on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.cli.application_options import application_options
from pyharness.cli.private_page import opened, require_server
from pyharness.errors import SpecError
from pyharness.explorer.opening import open_graph, open_trace
from pyharness.plan.trace_files import read_behaviour
from pyharness.protocols import PREDICATES
from pyharness.topology import NOTATION, parse_topology

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.explorer.session import Session

__all__ = ["explore"]


@click.command()
@click.argument("subject", metavar="[SPEC[:MUTANT]]", required=False)
@click.option("--topology", "wanted", metavar=NOTATION, help="The graph; ring:3, say.")
@click.option("--mutant", metavar="NAME", help="The same as :MUTANT after the name of the spec.")
@application_options
@click.option("--granularity", type=click.Choice(["event", "action"]), help="What an action may touch.")
@click.option("--predicate", type=click.Choice(sorted(PREDICATES)), help="Of a spec that tests one.")
@click.option(
    "--trace", type=click.Path(path_type=Path), metavar="FILE", help="Begin with a trace or a schedule."
)
@click.option("--step", type=click.IntRange(1), metavar="K", help="At this step of it; the last by default.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="On this machine; a free one by default."
)
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
def explore(
    subject: str | None,
    *,
    wanted: str | None,
    mutant: str | None,
    said: Mapping[str, Any],
    granularity: str | None,
    predicate: str | None,
    trace: Path | None,
    step: int | None,
    port: int,
    opens: bool,
) -> None:
    """Click through the behaviours of SPEC, or of its MUTANT, as its Python implementation has them.

    The page shows the space-time diagram so far, the actions that are enabled, and whether each property holds. It is
    served to this machine alone, at an address that nobody can guess, until the command is interrupted.
    """
    require_server()
    from pyharness.explorer.explorer_site import ExplorerSite  # noqa: PLC0415 - an extra
    from pyharness.explorer.loopback_server import serve  # noqa: PLC0415

    name, _, after = (subject or "").partition(":")
    if mutant and after and mutant != after:
        raise SpecError(f"two mutants are named, {after} and {mutant}", where="--mutant")
    bug = mutant or after or None
    extra = {"granularity": granularity, "predicate": predicate}
    setting = {**said, **{key: value for key, value in extra.items() if value is not None}}
    session = _session(name, bug, wanted, setting, trace, step)
    server = serve(ExplorerSite(session), port)
    click.echo(f"{session.name} on {session.system.topology.id}: {server.url}")
    click.echo("Ctrl-C ends it.", err=True)
    with opened(server.url, opens=opens):
        server.run()


def _session(
    name: str,
    mutant: str | None,
    wanted: str | None,
    setting: Mapping[str, Any],
    trace: Path | None,
    step: int | None,
) -> Session:
    if trace is not None:
        if wanted is not None:
            raise SpecError("a trace has its own topology", where="--topology", hint="leave it out")
        if mutant and not name:
            raise SpecError("a mutant of what?", where="--mutant", hint="name the spec too: SPEC:MUTANT")
        read, meta = read_behaviour(trace)
        protocol = f"{name}:{mutant}" if mutant else name or None
        return open_trace(read, {**meta, **setting}, protocol, step, where=str(trace))
    if not name:
        raise SpecError("name a spec, or a --trace", hint="pyharness explore ChandyLamport --topology ring:3")
    if step is not None:
        raise SpecError("there is no trace to go to a step of", where="--step", hint="give --trace FILE")
    if wanted is None:
        hint = "ring:3, say, or join:3 for barriers"
        raise SpecError("the explorer needs a graph", where="--topology", hint=hint)
    return open_graph(name, parse_topology(wanted, where="--topology"), setting, mutant)
