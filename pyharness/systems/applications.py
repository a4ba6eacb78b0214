"""The applications that a model may name, modules of ``specs/``: their constants, and how each is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pyharness.protocols import Application, Dataflow, Items, Tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class ApplicationSpec:
    """An application: the ``constants`` of its module with their defaults, and how it is made.

    ``build`` takes the number of items, their placement, and the constants. With ``items`` the module has the constants
    ``Item`` and ``Placement``.
    """

    name: str
    build: Callable[[int, str, Mapping[str, int | str]], Application]
    constants: Mapping[str, int] = field(default_factory=dict)
    items: bool = True


def _tasks(items: int, placement: str, constants: Mapping[str, int | str]) -> Application:
    return Tasks(
        items,
        placement,
        need=int(constants["Need"]),
        losses=int(constants["Losses"]),
        duplicates=int(constants["Duplicates"]),
    )


APPLICATIONS: Final[Mapping[str, ApplicationSpec]] = {
    spec.name: spec
    for spec in (
        ApplicationSpec("Items", lambda items, placement, _: Items(items, placement)),
        ApplicationSpec("Tasks", _tasks, {"Need": 1, "Losses": 0, "Duplicates": 0}),
        ApplicationSpec(
            "Dataflow",
            lambda _, __, constants: Dataflow(int(constants["Records"])),
            {"Records": 2},
            items=False,
        ),
    )
}
"""The applications by name."""
