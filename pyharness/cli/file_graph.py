"""A module's graph from TLC, for ``pyharness states FOO.tla`` and ``pyharness explore FOO.tla``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from pyharness.base.toolchain.machine_size import default_heap
from pyharness.cli.application_options import COMPOSITION
from pyharness.cli.library.model_checks import require_no_shipped
from pyharness.cli.one_model import file_options, tlc_progress
from pyharness.cli.shared_options import options, require_none_given
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
"""The seconds that TLC may take for a graph; --seconds sets others."""


graph_options = options(
    file_options,
    click.option(
        "--seconds", type=click.IntRange(1), help=f"Of FOO.tla: for TLC, at most; default {_SECONDS}."
    ),
)
"""The options of a module's file for commands that show its graph."""


def require_no_file_options(where: str) -> None:
    """Raise SpecError for options of a module's file that are given for a spec of graphs."""
    require_none_given(("config", "libraries", "seconds"), "the file of a module: FOO.tla", where)


def open_file(
    path: Path,
    command: str,
    *,
    config: Path | None,
    libraries: Sequence[Path],
    setting: Mapping[str, Any],
    seconds: int | None,
) -> tuple[PlainModel, GraphReader]:
    """Read the module in a file for a ``command``; of a ``setting`` it takes the constants, and has no other part.

    Raises SpecError for what cannot be read, and for an option that is given of a spec of graphs.
    """
    require_no_shipped(path, command)
    foreign = {"wanted", *COMPOSITION} - {"constants"}
    require_none_given(foreign, "a spec about graphs, by its name", str(path))
    model = read_model(path, config, constants=setting["constants"], libraries=libraries)
    return model, GraphReader(model, find_tools(), Bounds(seconds or _SECONDS, default_heap()))


def read_file_graph(model: PlainModel, reader: GraphReader, most: int) -> SpecGraph:
    """Have TLC explore a model of at most ``most`` states, and show its progress.

    Raises what :meth:`GraphReader.graph` raises.
    """
    with tlc_progress(model.module) as follow:
        return reader.graph(most, follow)
