"""What a state machine does at each event, as a table: to read, to draw, and to hold the machine to.

A machine's *phase* is what a driver can tell of its state. A table names the phases, has a row for each event that is
possible in a phase, and says what is refused. The reference page of the protocols is drawn from the tables, and a test
takes each machine through all its reachable states and finds every row there, and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyharness.base.errors import ProtocolError

_WELCOME = "the application takes the message"


class Row(NamedTuple):
    """In ``phase`` the handler ``event`` leads to one of the phases ``becomes``, and puts out what ``sends`` says.

    ``when`` is the condition without which it returns ``None``; empty if there is none.
    """

    phase: str
    event: str
    becomes: tuple[str, ...]
    sends: str = ""
    when: str = ""


class Refusal(NamedTuple):
    """What the handler ``event`` raises an ``error`` for, in any phase."""

    event: str
    what: str
    error: type[ProtocolError]


class TransitionTable(NamedTuple):
    """A machine's phases, each with what it means; its rows; and what it refuses.

    An event that has no row in a phase is not enabled there: its handler returns ``None``, or yields nothing.
    """

    phases: Mapping[str, str]
    rows: tuple[Row, ...]
    refusals: tuple[Refusal, ...]

    def row(self, phase: str, event: str) -> Row | None:
        """Return the row of an event in a phase; ``None`` if it is not enabled there."""
        return next((row for row in self.rows if (row.phase, row.event) == (phase, event)), None)


def staying(phases: Iterable[str], *, sending: bool = True, when: str = "") -> tuple[Row, ...]:
    """Return the rows of the application's own actions, which lead to no other phase.

    ``when`` is the protocol's condition on accepting; without ``sending`` nothing is sent or done internally.
    """
    rows = []
    for phase in phases:
        if sending:
            rows += [Row(phase, "send", (phase,), "the message"), Row(phase, "internal", (phase,))]
        rows.append(Row(phase, "accept", (phase,), when=f"{when}{', and ' * bool(when)}{_WELCOME}"))
    return tuple(rows)
