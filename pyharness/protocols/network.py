"""What a channel is: a FIFO buffer of sufficient capacity (``Positions`` and ``Room`` of ``specs/Application.tla``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.protocols.process import Element

__all__ = ["Network"]


class Network:
    """The rules of all channels. Mutants override one of them."""

    def positions(self, queue: tuple[Element, ...]) -> Iterable[int]:
        """Give the indices of the elements that may be accepted next: the first. TLA+: Positions."""
        return (0,) if queue else ()

    def room(self, queue: tuple[Element, ...]) -> bool:
        """Tell whether one more may be sent: always. TLA+: Room."""
        return True
