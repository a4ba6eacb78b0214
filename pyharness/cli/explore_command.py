"""``pyharness explore``: the behaviours of a protocol, or of any module, by hand, in a page on this machine."""

from __future__ import annotations

import tempfile
import webbrowser
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.clean_text import cleaned
from pyharness.base.topology import NOTATION, parse_topology
from pyharness.cli.application_options import setting_of, setting_options
from pyharness.cli.file_graph import graph_options, open_file, read_file_graph, require_no_file_options
from pyharness.cli.library.model_checks import is_module_file
from pyharness.cli.one_model import named_mutant
from pyharness.models.trace_system import read_behaviour
from pyharness.show.any_spec.spec_graph import MOST_GRAPH_STATES
from pyharness.show.any_spec.spec_subject import SpecSubject, open_along
from pyharness.show.explorer.protocol_subject import in_seconds, open_graph, open_trace
from pyharness.show.explorer.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@click.command()
@click.argument("subject", metavar="[SPEC[:MUTANT]|FOO.tla]", required=False)
@click.option("--topology", "wanted", metavar=NOTATION, help="Of SPEC: the graph, such as ring:3.")
@setting_options
@graph_options
@click.option(
    "--trace", type=click.Path(path_type=Path), metavar="FILE", help="Begin with a trace or a schedule."
)
@click.option("--step", type=click.IntRange(1), metavar="K", help="At this step of it; the last by default.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="On this machine; a free one by default."
)
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
def explore(subject: str | None, *, port: int, opens: bool, **options: Any) -> None:
    """Click through the behaviours of SPEC, or of its MUTANT, or of the module FOO.tla.

    \b
      pyharness explore ChandyLamport --topology ring:3
      pyharness explore Mutex.tla --config MC.cfg --open
      pyharness explore Mutex.tla --trace counterexample.itf.json

    Those of SPEC are the ones of its Python implementation, shown as a space-time diagram. Those of FOO.tla are the
    ones that TLC finds under its configuration, as `check` takes it, in a graph of at most 50,000 states, shown as a
    table of its variables. The page also shows the actions that are enabled, and whether each property holds. It is
    served to this machine alone, at an address that cannot be guessed, until the command is interrupted.

    Exits with 2 for bad input, and for a graph of more states; with 3 if TLC was not through, so that not all states
    were seen; with 4 if a tool failed.
    """  # noqa: D301 - click reads the \b
    from pyharness.show.explorer.explorer_site import ExplorerSite  # noqa: PLC0415 - only a page needs a server
    from pyharness.show.explorer.private_site import serve  # noqa: PLC0415

    is_file = subject is not None and is_module_file(subject)
    session = _of_file(Path(subject or ""), **options) if is_file else _of_protocol(subject or "", **options)
    server = serve(ExplorerSite(session), port)
    click.echo(f"{cleaned(session.subject.title)}: {server.url}")
    click.echo("Ctrl-C ends it.", err=True)
    with _opened(server.url, opens=opens):
        server.run()


def _of_file(
    path: Path,
    *,
    wanted: str | None,
    config: Path | None,
    libraries: tuple[Path, ...],
    seconds: int | None,
    setting: Mapping[str, Any],
    trace: Path | None,
    step: int | None,
) -> Session:
    """Begin a session on TLC's graph of the module in a file, or with a trace. Raises what reading these raises."""
    del wanted
    model, reader = open_file(
        path, "explore", config=config, libraries=libraries, setting=setting, seconds=seconds
    )
    read = read_behaviour(trace)[0] if trace is not None else None
    _require_trace(trace, step)
    graph = read_file_graph(model, reader, MOST_GRAPH_STATES)
    spec = SpecSubject(model, graph, reader)
    if read is None:
        return Session(spec, in_time=in_seconds)
    return open_along(spec, graph, read, step, where=str(trace))


def _require_trace(trace: Path | None, step: int | None) -> None:
    if step is not None and trace is None:
        raise SpecError("there is no trace to go to a step of", where="--step", hint="give --trace FILE")


def _of_protocol(
    subject: str,
    *,
    wanted: str | None,
    setting: Mapping[str, Any],
    trace: Path | None,
    step: int | None,
    **_of_files: Any,
) -> Session:
    """Begin a session on a graph, or with a trace. Raises SpecError for what does not fit."""
    require_no_file_options(subject or "explore")
    name, mutant = named_mutant(subject)
    given = setting_of(setting)
    if trace is not None:
        if wanted is not None:
            raise SpecError("a trace has its own topology", where="--topology", hint="leave it out")
        read, meta = read_behaviour(trace)
        return open_trace(read, {**meta, **given}, subject or None, step, where=str(trace))
    if not name:
        raise SpecError("name a spec, or a --trace", hint="pyharness explore ChandyLamport --topology ring:3")
    _require_trace(trace, step)
    if wanted is None:
        hint = "such as ring:3, or join:3 for barriers"
        raise SpecError("the explorer needs a graph", where="--topology", hint=hint)
    return open_graph(name, parse_topology(wanted, where="--topology"), given, mutant)


@contextmanager
def _opened(url: str, *, opens: bool) -> Iterator[None]:
    """Open an address in a browser, if asked to, by a file that leads there and that only this user can read.

    All users of a machine see the words of a command, and the address has the token.
    """
    with tempfile.TemporaryDirectory(prefix="pyharness-explore-") as private:
        if opens:
            page = Path(private, "page.html")
            page.write_text(
                f'<!doctype html><meta http-equiv="refresh" content="0; url={url}">', encoding="utf-8"
            )
            page.chmod(0o600)
            click.echo(f"{page.as_uri()} leads there, for you alone.", err=True)
            webbrowser.open(page.as_uri())
        yield
