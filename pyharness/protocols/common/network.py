"""What a channel is: a FIFO buffer of sufficient capacity, which delivers in the end and carries colours.

The rules are those of ``specs/Application.tla``, under its names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyharness.protocols.applications.application import Channel
    from pyharness.protocols.common.process import Coloured, Element


class Network:
    """The rules of all channels. Mutants override one of them."""

    def left(self, channel: Channel) -> tuple[Coloured, ...]:
        """Return what is in a channel at the beginning: nothing. TLA+: Init."""
        return ()

    def positions(self, queue: tuple[Element, ...]) -> Iterable[int]:
        """Return the indices of the elements that may be accepted next: the first. TLA+: Positions."""
        return (0,) if queue else ()

    def without(self, queue: tuple[Element, ...], position: int) -> tuple[Element, ...]:
        """Return what is left of a channel when an element was accepted: all the others. TLA+: Without, Exchanged."""
        return queue[:position] + queue[position + 1 :]

    def room(self, queue: tuple[Element, ...]) -> bool:
        """Tell whether one more may be sent: always. TLA+: Room."""
        return True

    def fair(self, channels: Sequence[Channel]) -> Iterable[Channel]:
        """Return the channels whose messages are all accepted eventually: all channels (E18). TLA+: FairChannels."""
        return channels

    def red_for(self, sender: frozenset[Any], receiver: frozenset[Any]) -> frozenset[Any]:
        """Return the snapshots for which a message is red: those for which its sender is (E2). TLA+: Sent."""
        return sender

    def tint(self, action: str, after: str, receiver: str, *, first: bool) -> str:
        """Return a message's colour: the action's that sends it (E2). TLA+: Sent.

        ``after`` is the sender's colour after the action, and ``receiver`` the receiver's; ``first`` tells whether it
        goes out on the first of the sender's outputs.
        """
        return action
