"""Options that say what an implementation is composed of: which application, and its bounds."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from pyharness.gate.plans.requested_model import parse_constants
from pyharness.machines.protocols import PREDICATES
from pyharness.machines.systems import APPLICATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


def setting_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add options to a command, which takes what they say as ``setting``; :func:`setting_of` reads its constants."""
    return _adding(command, (*_APPLICATION, *_COMPOSITION), "setting", dict)


def application_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add options to a command, which takes what they say as ``said``: keys of a trace's meta."""
    return _adding(command, _APPLICATION, "said", setting_of)


def setting_of(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return what options say, without those that are not given. Raises SpecError for what is no constant."""
    given = {key: value for key, value in setting.items() if value not in (None, ())}
    return given | ({"constants": parse_constants(given["constants"])} if "constants" in given else {})


def _adding(
    command: Callable[..., None],
    options: tuple[Callable[..., Any], ...],
    name: str,
    read: Callable[[dict[str, Any]], dict[str, Any]],
) -> Callable[..., None]:
    keys = ["application", "items", "placement", "constants"]
    keys += ["granularity", "predicate"] if options[len(keys) :] else []

    @functools.wraps(command)
    def wrapped(*arguments: Any, **given: Any) -> None:
        command(*arguments, **{name: read({key: given.pop(key) for key in keys})}, **given)

    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped
