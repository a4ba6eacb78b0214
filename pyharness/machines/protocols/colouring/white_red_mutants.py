"""Seeded bugs of the colouring. Each class breaks one idea, by overriding the decision of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pyharness.machines.protocols.colouring.white_red import WhiteRed, WhiteRedState
from pyharness.machines.protocols.common.mutant import Mutant, mutants_of
from pyharness.machines.protocols.common.network_mutants import NonFifoChannel
from pyharness.machines.protocols.common.process import RED, WHITE, Coloured, Network, Recorded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.machines.protocols.applications.application import Channel, Value
    from pyharness.machines.protocols.common.process import Element


class NoGuard(WhiteRed):
    """A white machine accepts red messages too (E4)."""

    def allows(self, action: str, message: Coloured) -> bool:
        """Whatever the colours."""
        return True


class AnyMessage(NoGuard):
    """A message is accepted whatever its colour and its place in the buffer (E4, E5)."""


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

    def turn(self, state: WhiteRedState, app: Value) -> WhiteRedState:
        """White, if it was red."""
        return state._replace(recorded=Recorded(app) if state.recorded is None else None)


class AcceptBeforeSend(WhiteRed):
    """A message is accepted that its source could send, but has not sent (E5)."""

    def foreseen(self, sendable: Iterable[Coloured]) -> Iterable[Coloured]:
        """All of them."""
        return sendable


class AcceptRedBeforeSend(WhiteRed):
    """A red message is accepted that its source could send, but has not sent (E5)."""

    def foreseen(self, sendable: Iterable[Coloured]) -> Iterable[Coloured]:
        """The red ones."""
        return (message for message in sendable if message.colour == RED)


class _RecordAgain(WhiteRed):
    """A red machine records its state again as it accepts a message of one colour."""

    again: ClassVar[str]

    def after(
        self, state: WhiteRedState, app: Value, taken: Sequence[tuple[Channel, Coloured]]
    ) -> WhiteRedState:
        after = super().after(state, app, taken)
        records = state.recorded is not None and any(m.colour == self.again for _, m in taken)
        return after._replace(recorded=Recorded(app)) if records else after


class RecordAtRed(_RecordAgain):
    """A red machine records its state again as it accepts a red message (E1)."""

    again = RED


class RecordAtWhite(_RecordAgain):
    """A red machine records its state again as it accepts a white message (E1, E6)."""

    again = WHITE


class BeginsWithMessage(Network):
    """It begins with item 1 in each channel, which nobody has sent (E5, E7)."""

    def left(self, channel: Channel) -> tuple[Coloured, ...]:
        """Item 1, white."""
        return (Coloured(1, WHITE),)


class RemoveLast(Network):
    """Whichever message is accepted, it is the last one that is taken out of the buffer (E5)."""

    def without(self, queue: tuple[Element, ...], position: int) -> tuple[Element, ...]:
        """All but the last."""
        return queue[:-1]


WHITE_RED_MUTANTS: dict[str, Mutant] = {
    **mutants_of(
        "process",
        NoGuard,
        RecordEarly,
        RecordAfterRed,
        TurnBack,
        AcceptBeforeSend,
        AcceptRedBeforeSend,
        RecordAtRed,
        RecordAtWhite,
    ),
    "AnyMessage": {"process": AnyMessage, "network": NonFifoChannel},
    **mutants_of("network", BeginsWithMessage, RemoveLast),
}
"""The seeded bugs of the colouring by name."""
