"""Seeded bugs of the colouring. Each class breaks one idea, by overriding the decision of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.protocols.colouring.white_red import WhiteRed, WhiteRedState
from pyharness.protocols.common.mutant import Mutant, mutants_of
from pyharness.protocols.common.process import WHITE, Coloured, Recorded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.protocols.applications.application import Value

__all__ = [
    "WHITE_RED_MUTANTS",
    "AcceptBeforeSend",
    "NoGuard",
    "RecordAfterRed",
    "RecordEarly",
    "TurnBack",
]


class NoGuard(WhiteRed):
    """A white machine accepts red messages too (E4)."""

    def allows(self, action: str, message: Coloured) -> bool:
        """Whatever the colours."""
        return True


class RecordEarly(WhiteRed):
    """A channel's recording begins before its machine is red (E6)."""

    def keeps(self, action: str, message: Coloured) -> bool:
        """Every white message."""
        return message.colour == WHITE


class RecordAfterRed(WhiteRed):
    """A machine that turns red in a red action records the state after it (E6, E17)."""

    def state_recorded(self, action: str, before: Value, after: Value) -> Value:
        """What any action made."""
        return after


class TurnBack(WhiteRed):
    """A red machine that is told once more to turn is white again (E1, E2)."""

    def may_turn(self, state: WhiteRedState) -> bool:
        """At any time."""
        return True

    def recorded(self, state: WhiteRedState, app: Value) -> Recorded | None:
        """Nothing, if something was."""
        return Recorded(app) if state.recorded is None else None


class AcceptBeforeSend(WhiteRed):
    """A message is accepted that its source could send, but has not sent (E5)."""

    def foreseen(self, sendable: Iterable[Coloured]) -> Iterable[Coloured]:
        """All of them."""
        return sendable


WHITE_RED_MUTANTS: dict[str, Mutant] = mutants_of(
    "process",
    NoGuard,
    RecordEarly,
    RecordAfterRed,
    TurnBack,
    AcceptBeforeSend,
)
"""The seeded bugs of the colouring by name."""
