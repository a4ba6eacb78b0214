"""When a vertex may begin its next message, and what is noted of messages: seconds of a monotonic clock."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Pace:
    """A plan of messages, ``rate`` of them a second from the beginning on; with a rate of 0 any is due at any time.

    A message that is begun late was due all the same, and its latency counts from then: what was held up meanwhile is
    not left out. What is noted, if ``measured``: when each message was due (``begun``) and was taken for good
    (``ended``), by a key that both ends know, and when anything was ``sent``.
    """

    def __init__(
        self, rate: float, *, measured: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._measured, self._clock = rate, measured, clock
        self._origin, self._number = clock(), 0
        self.begun: list[list[Any]] = []
        self.ended: list[list[Any]] = []
        self.sent: list[float] = []

    def start(self) -> None:
        """Let the first message be due now."""
        self._origin = self._clock()

    @property
    def waits(self) -> float | None:
        """The seconds until the next message is due, or ``None`` if none waits for its time."""
        return max(self._next - self._clock(), 0.0) if self._rate else None

    def is_due(self) -> bool:
        """Tell whether the next message may begin."""
        return not self._rate or self._next <= self._clock()

    def begins(self, *key: int) -> None:
        """Note that the next message begins."""
        if self._measured:
            self.begun.append([*key, self._next if self._rate else self._clock()])
        self._number += 1

    def sends(self) -> None:
        """Note that something is sent."""
        if self._measured:
            self.sent.append(self._clock())

    def ends(self, *key: int) -> None:
        """Note that a message has been taken for good."""
        if self._measured:
            self.ended.append([*key, self._clock()])

    def noted(self) -> dict[str, Any]:
        """Return what was noted, as JSON has it."""
        return (
            {"measured": {"begun": self.begun, "ended": self.ended, "sent": self.sent}}
            if self._measured
            else {}
        )

    @property
    def _next(self) -> float:
        return self._origin + self._number / self._rate
