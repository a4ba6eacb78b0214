"""The errors of this package, as a tree of classes.

::

    HarnessError                the base of every error of this package
    ├── SpecError               the user's input is wrong (plan, spec, schedule, option)        exit 2
    ├── ToolError               Java, TLC, Spark or a store failed                              exit 4
    │   ├── IncompleteError     a run ended without evidence: killed, cut off, over its budget  exit 3
    │   └── DisagreementError   two parts of this tool decide the same thing otherwise          exit 5
    └── ConformanceError        implementation and spec disagree                                exit 1
        ├── ProtocolError       a state machine was given what its protocol does not know
        │   ├── DriverError     by the program that drives it
        │   └── PeerError       by another process, over a channel
        └── ProgramError        a program that is held against a spec gave no answer that one can read
            └── SilentError     it gave none in time                                            exit 3

Each message states the fault, its place (file, line, step, process) and what to do next.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ConformanceError",
    "DisagreementError",
    "DriverError",
    "HarnessError",
    "IncompleteError",
    "PeerError",
    "ProgramError",
    "ProtocolError",
    "SilentError",
    "SpecError",
    "ToolError",
]

_FEW: Final = 12
"""The number of names that are listed; of more, only the nearest or the first."""


class HarnessError(Exception):
    """Base of every error this package raises on purpose.

    ``where`` names the place (``quick.toml:12``, ``step 7``) and ``hint`` states what to do next; both are
    part of the printed message when given.
    """

    exit_code = 4

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        self.message = message
        self.where = where
        self.hint = hint
        super().__init__(message, where, hint)

    def __str__(self) -> str:
        # The name of a file may have a line break.
        place = f"{self.where}: ".replace("\n", "\\n") if self.where else ""
        advice = f"\n  {self.hint}" if self.hint else ""
        return f"{place}{self.message}{advice}"

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.where, self.hint))


def _rebuild(kind: type[HarnessError], message: str, where: str | None, hint: str | None) -> HarnessError:
    return kind(message, where=where, hint=hint)


class SpecError(HarnessError):
    """The user's input is wrong: a plan, a spec, a schedule, an option."""

    exit_code = 2

    @classmethod
    def unknown(
        cls, kind: str, name: str, known: Iterable[str], *, where: str | None = None, otherwise: str = ""
    ) -> SpecError:
        """Return the error of a name that does not exist, with the :func:`nearest` of those that do.

        ``kind`` is the kind of thing named (``"model of plan quick"``), ``otherwise`` what else can be done.
        """
        hint = nearest(name, known)
        return cls(f"no {kind} {name!r}", where=where, hint=f"{hint}; {otherwise}" if otherwise else hint)


class ToolError(HarnessError):
    """Java, TLC, Spark or a store could not do its part."""

    exit_code = 4


class IncompleteError(ToolError):
    """A run ended without the evidence a verdict needs; never a pass."""

    exit_code = 3


class DisagreementError(ToolError):
    """Two parts of this tool, which decide the same thing each in its own way, do not agree: a bug of the tool."""

    exit_code = 5


class ConformanceError(HarnessError):
    """The implementation and the spec disagree."""

    exit_code = 1


class ProtocolError(ConformanceError):
    """A state machine was given an input that its protocol does not know, after which no behaviour is defined.

    The machine's state is as it was before. ``where`` names the process, and the channel if there is one.
    """


class DriverError(ProtocolError):
    """The program that drives a state machine asked for something absent: a foreign channel, an item not held."""


class PeerError(ProtocolError):
    """A channel brought an element that no peer following the protocol sends there: a second marker, not a message."""


class ProgramError(ConformanceError):
    """A program held against a spec ended, or wrote a line that is not an answer. ``where`` names its process."""


class SilentError(ProgramError):
    """A program did not answer in time: that may be its fault or the machine's, so it is not evidence."""

    exit_code = 3


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint for a name that is not ``known``: the names nearest to it, or all if they are few."""
    names = list(dict.fromkeys(known))
    lowered = {candidate.lower(): candidate for candidate in reversed(names)}
    near = [lowered[match] for match in difflib.get_close_matches(name.lower(), lowered, n=3)]
    if near:
        return f"did you mean {' or '.join(near)}?"
    if not names:
        return "there are none"
    if len(names) <= _FEW:
        return f"there {'is' if len(names) == 1 else 'are'} {', '.join(names)}"
    return f"there are {len(names)}, such as {', '.join(names[:5])}"
