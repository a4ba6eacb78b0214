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

__all__ = ["application_options"]


def application_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add options to a command, which takes what they say as ``said``: keys of a trace's meta."""

    @click.option("--application", type=click.Choice(list(APPLICATIONS)), help="What the processes do.")
    @click.option("--items", type=click.IntRange(1, 9), help="Items that move.")
    @click.option(
        "--placement", type=click.Choice(["initiator", "spread", "any"]), help="Where the items begin."
    )
    @click.option(
        "--constant",
        "given",
        multiple=True,
        metavar="NAME=VALUE",
        help="Of the spec or the application, such as Records=2; may be repeated.",
    )
    @functools.wraps(command)
    def wrapped(
        *arguments: Any,
        application: str | None,
        items: int | None,
        placement: str | None,
        given: Sequence[str],
        **options: Any,
    ) -> None:
        said: dict[str, Any] = {"application": application, "items": items, "placement": placement}
        said = {key: value for key, value in said.items() if value is not None}
        if given:
            said["constants"] = dict(map(_constant, given))
        command(*arguments, said=said, **options)

    return wrapped


def _constant(text: str) -> tuple[str, int | str]:
    name, _, value = text.partition("=")
    if value in MODES:
        return name, value
    if not name or not value.isdecimal():
        hint = f"a constant is a number, or Mode is one of {', '.join(MODES)}"
        raise SpecError(f"{text!r} is not NAME=VALUE", where="--constant", hint=hint)
    return name, int(value)
