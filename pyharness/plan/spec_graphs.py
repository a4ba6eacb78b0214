"""Whether a spec runs on graphs: every model chooses its graph, so a spec that knows of none cannot be checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError

if TYPE_CHECKING:
    from pyharness.modules.library import Library

NO_GRAPHS: Final = "extends no module that runs on graphs, and every model here is about some"
"""What to say of such a spec, after its name."""

ON_GRAPHS: Final = "extend a shipped protocol, or Colours, or Application and declare the variable topo"
"""What to do about it."""


def runs_on_graphs(library: Library, spec: str) -> bool:
    """Tell whether a module has the constant ``Graphs``, which is that of ``Application``."""
    return "Graphs" in library.constants(spec)


def require_graphs(library: Library, spec: str) -> None:
    """Raise SpecError for a module that runs on no graphs: TLC would complain of a module that nobody wrote."""
    if not runs_on_graphs(library, spec):
        raise SpecError(f"{spec} {NO_GRAPHS}", where=library.path(spec).name, hint=ON_GRAPHS)
