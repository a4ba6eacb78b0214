"""Options that set what an implementation is composed of: which application, and its bounds."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import click

from pyharness.cli.shared_options import options
from pyharness.gate.plans.requested_model import parse_constants
from pyharness.machines.protocols import PREDICATES
from pyharness.machines.systems import APPLICATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_APPLICATION = (
    click.option("--application", type=click.Choice(list(APPLICATIONS)), help="What the processes do."),
    click.option("--items", type=click.IntRange(1, 9), help="Items that move; default 2."),
    click.option(
        "--placement",
        type=click.Choice(["initiator", "spread", "any"]),
        help="Where the items begin; default spread.",
    ),
    click.option(
        "--constant",
        "constants",
        multiple=True,
        metavar="NAME=VALUE",
        help="Of the spec or the application, such as Records=2; may be repeated.",
    ),
)
_COMPOSITION = (
    click.option(
        "--granularity",
        type=click.Choice(["event", "action"]),
        help="What an action may touch; default event.",
    ),
    click.option(
        "--predicate",
        type=click.Choice(sorted(PREDICATES)),
        help="Of a spec that tests one; default Terminated.",
    ),
)


def setting_of(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are given, by name. Raises SpecError for a text that is not a constant's ``NAME=VALUE``."""
    given = {key: value for key, value in setting.items() if value not in (None, ())}
    return given | ({"constants": parse_constants(given["constants"])} if "constants" in given else {})


def _setting(names: Sequence[str], *given: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorator that adds options of these names to a command, which takes their values as ``setting``."""

    def add(command: Callable[..., None]) -> Any:
        @functools.wraps(command)
        def wrapped(*arguments: Any, **values: Any) -> None:
            command(*arguments, setting={name: values.pop(name) for name in names}, **values)

        return options(*given)(wrapped)

    return add


APPLICATION: Final = ("application", "items", "placement", "constants")
COMPOSITION: Final = (*APPLICATION, "granularity", "predicate")

application_options = _setting(APPLICATION, *_APPLICATION)
setting_options = _setting(COMPOSITION, *_APPLICATION, *_COMPOSITION)
"""Options of a command, which takes them as ``setting``, to be read by :func:`setting_of`."""
