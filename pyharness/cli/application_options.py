"""Options that say which application a trace is of, where its file does not."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from pyharness.errors import SpecError
from pyharness.protocols import MODES
from pyharness.systems import APPLICATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["application_choices", "application_options", "said_of"]


def application_choices(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add options to a command, which takes them as they are: see :func:`said_of`."""
    options = (
        click.option("--application", type=click.Choice(list(APPLICATIONS)), help="What the processes do."),
        click.option("--items", type=click.IntRange(1, 9), help="Items that move."),
        click.option(
            "--placement", type=click.Choice(["initiator", "spread", "any"]), help="Where the items begin."
        ),
        click.option(
            "--constant",
            "given",
            multiple=True,
            metavar="NAME=VALUE",
            help="Of the spec or the application, such as Records=2; may be repeated.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def application_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add options to a command, which takes what they say as ``said``: keys of a trace's meta."""

    @application_choices
    @functools.wraps(command)
    def wrapped(
        *arguments: Any,
        application: str | None,
        items: int | None,
        placement: str | None,
        given: Sequence[str],
        **options: Any,
    ) -> None:
        command(*arguments, said=said_of(application, items, placement, given), **options)

    return wrapped


def said_of(
    application: str | None, items: int | None, placement: str | None, given: Sequence[str]
) -> dict[str, Any]:
    """Return what options say, as keys of a trace's meta. Raises SpecError for what is no constant."""
    said: dict[str, Any] = {"application": application, "items": items, "placement": placement}
    said = {key: value for key, value in said.items() if value is not None}
    if given:
        said["constants"] = dict(map(_constant, given))
    return said


def _constant(text: str) -> tuple[str, int | str]:
    name, _, value = text.partition("=")
    if value in MODES:
        return name, value
    if not name or not value.isdecimal():
        hint = f"a constant is a number, or Mode is one of {', '.join(MODES)}"
        raise SpecError(f"{text!r} is not NAME=VALUE", where="--constant", hint=hint)
    return name, int(value)
