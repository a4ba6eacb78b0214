"""What an action is to who explores: a name, what it is applied to, and where it leads."""

from __future__ import annotations

from typing import Any, Protocol


class ExploredAction(Protocol):
    """An action that can be taken: its ``name``, what it is applied to, and the state ``after`` it."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def detail(self) -> str:
        """What it is applied to; empty if there is nothing to say."""

    @property
    def after(self) -> Any:
        """The state that it leads to."""
