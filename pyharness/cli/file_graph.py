"""What ``pyharness states FOO.tla`` and ``pyharness explore FOO.tla`` have in common: a module's graph, from TLC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.machine_size import default_heap
from pyharness.cli.library.model_checks import require_no_shipped
from pyharness.cli.one_model import file_options, tlc_progress
from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds
from pyharness.show.any_spec.spec_graph import GraphReader
from pyharness.tla.plain_models.plain_model import read_model

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pyharness.show.any_spec.spec_graph import SpecGraph
    from pyharness.tla.plain_models.plain_model import PlainModel

_SECONDS: Final = 120
"""What TLC may take for a graph, unless --seconds says otherwise."""


def graph_options(command: Any) -> Any:
    """Add the options of a module's file of which the graph is asked for."""
    seconds = click.option(
        "--seconds", type=click.IntRange(1), help=f"Of FOO.tla: for TLC, at most; default {_SECONDS}."
    )
    return file_options(seconds(command))


def require_no_file_options(
    where: str, config: Path | None, libraries: Sequence[Path], seconds: int | None = None
) -> None:
    """Refuse, of a spec of graphs, what is of the file of a module. Raises SpecError."""
    if config or libraries or seconds:
        raise SpecError("--config, --library and --seconds are of the file of a module: FOO.tla", where=where)


def open_file(
    path: Path,
    command: str,
    *,
    config: Path | None,
    libraries: Sequence[Path],
    setting: Mapping[str, Any],
    seconds: int | None,
    foreign: Mapping[str, object],
) -> tuple[PlainModel, GraphReader]:
    """Read the module in a file for a ``command``; of a ``setting`` it takes the constants, and has no other part.

    ``foreign`` are further options, by name, that only a spec of graphs has.

    Raises SpecError for what cannot be read, and for a foreign option that is given.
    """
    require_no_shipped(path, command)
    own = {**setting}
    constants = own.pop("constants")
    for option, value in ({f"--{key}": value for key, value in own.items()} | {**foreign}).items():
        if value not in (None, False):
            raise SpecError(f"{option} is of a spec about graphs, by its name", where=str(path))
    model = read_model(path, config, constants=constants, libraries=libraries)
    return model, GraphReader(model, find_tools(), Bounds(seconds or _SECONDS, default_heap()))


def read_file_graph(model: PlainModel, reader: GraphReader, most: int) -> SpecGraph:
    """Have TLC explore a model of at most so many states, and show how far it is.

    Raises what :meth:`GraphReader.graph` raises.
    """
    with tlc_progress(model.module) as follow:
        return reader.graph(most, follow)
