"""The error tree.

::

    HarnessError                what every error of this package is
    ├── SpecError               what the user gave us is wrong (plan, spec, schedule, option)   exit 2
    ├── ToolError               Java, TLC or Spark failed                                       exit 4
    │   └── IncompleteError     a run ended without evidence: killed, cut off, over its budget  exit 3
    └── ConformanceError        implementation and spec disagree                                exit 1
        └── ProtocolError       a state machine was given what its protocol does not know
            ├── DriverError     by the program that drives it
            └── PeerError       by another process, over a channel

Each message says what is wrong, where (file, line, step, process) and what to do next.
"""

from __future__ import annotations

__all__ = [
    "ConformanceError",
    "DriverError",
    "HarnessError",
    "IncompleteError",
    "PeerError",
    "ProtocolError",
    "SpecError",
    "ToolError",
]


class HarnessError(Exception):
    """Base of every error this package raises on purpose.

    ``where`` names the place (``quick.toml:12``, ``step 7``) and ``hint`` says what to do next; both are
    part of the printed message when given.
    """

    exit_code = 4

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        self.message = message
        self.where = where
        self.hint = hint
        super().__init__(message, where, hint)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f"\n  {self.hint}" if self.hint else ""
        return f"{place}{self.message}{advice}"

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.where, self.hint))


def _rebuild(kind: type[HarnessError], message: str, where: str | None, hint: str | None) -> HarnessError:
    return kind(message, where=where, hint=hint)


class SpecError(HarnessError):
    """What the user gave us is wrong: a plan, a spec, a schedule, an option."""

    exit_code = 2


class ToolError(HarnessError):
    """Java, TLC or Spark could not do its part."""

    exit_code = 4


class IncompleteError(ToolError):
    """A run ended without the evidence a verdict needs; never a pass."""

    exit_code = 3


class ConformanceError(HarnessError):
    """The implementation and the spec disagree."""

    exit_code = 1


class ProtocolError(ConformanceError):
    """A state machine was given what its protocol does not know: nothing that follows would mean anything.

    The machine's state is as it was before. ``where`` names the process, and the channel if there is one.
    """


class DriverError(ProtocolError):
    """The program that drives a state machine asked for what there is not: a foreign channel, an item not held."""


class PeerError(ProtocolError):
    """What came over a channel is not what a peer that keeps the protocol sends there: a second marker, no message."""
