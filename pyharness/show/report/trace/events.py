"""A trace as a space-time diagram: lanes, events, messages and cuts, derived from its states alone.

The events of a step are the differences between the states before and after it: an element that is gone from a
channel was accepted, one that is new at its end was sent, a process whose recorded state is new has recorded. So the
diagram shows a counterexample of any protocol, and of a mutant too, as it is. A trace of another tool, whose states
have no such variables, gives lanes and messages as far as they can be known, and else only its steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


WHITE: Final = "white"
RED: Final = "red"


@dataclass(frozen=True, slots=True)
class Lane:
    """A line of the diagram: a process (``P1``), or an outsider: the coordinator, collector or observer.

    ``key`` is the process as the trace has it, ``None`` of an outsider.
    """

    name: str
    key: Any = None

    @property
    def is_process(self) -> bool:
        """Whether the lane is a process's."""
        return self.key is not None


@dataclass(frozen=True, slots=True)
class DrawnEvent:
    """One step of the trace.

    ``index`` is the step's (the first state has 0 and is an event at no lane); people see ``number``, from 1.
    ``action`` is its name in the spec, ``words`` what people read ("accept marker"), ``detail`` what it is about
    ("C12 m1"; may be empty). ``lanes`` are the indices of the lanes at which it happens, and ``before`` and
    ``after`` the colours there (``None`` without colours). ``records`` are the lanes that record their state
    in it. ``crash`` means that all that was under way is lost. ``notes`` are its other effects ("checkpoint 1 is
    complete").
    """

    index: int
    action: str | None
    words: str
    detail: str = ""
    lanes: tuple[int, ...] = ()
    before: tuple[str | None, ...] = ()
    after: tuple[str | None, ...] = ()
    records: tuple[int, ...] = ()
    crash: bool = False
    notes: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """The number of the state it leads to, from 1, as TLC and the text of a trace have it."""
        return self.index + 1

    @property
    def text(self) -> str:
        """The event in words: "accept marker C12"."""
        return f"{self.words} {self.detail}".strip()


@dataclass(frozen=True, slots=True)
class DrawnMessage:
    """Something that travels from the lane with index ``source`` to the one with index ``target``.

    ``kind`` is ``message``, or the control it is: ``marker``, ``barrier``, ``cancel``, ``end``; or ``report`` to a
    collector, ``trigger`` from a coordinator. ``channel`` is the name of its channel, empty for the last two.
    ``label`` is its short text, and ``raw`` its value as TLA+ where the label is in words. ``colour`` is white, red, or
    ``None`` for one without a colour.

    ``sent``, ``accepted`` and ``lost`` are indices of events. One that was there in the first state is sent at 0;
    ``restored`` means that it was put back into its channel in a crash, at ``sent``. One that is neither accepted
    nor lost is still in transit at the end. ``overtakes`` means that it was accepted before others that were ahead of it.
    ``crossing`` is ``red in white`` for a red message accepted in a white action, which breaks the one rule, and
    ``white in red`` for one that belongs to the channel's state.
    """

    id: int
    kind: str
    channel: str
    source: int
    target: int
    label: str
    colour: str | None
    sent: int
    accepted: int | None = None
    lost: int | None = None
    restored: bool = False
    overtakes: bool = False
    crossing: str | None = None
    raw: str = ""

    @property
    def is_control(self) -> bool:
        """Whether the message belongs to the protocol, and not to the computation."""
        return self.kind != "message"

    @property
    def end(self) -> int | None:
        """The event at which it is accepted or lost; ``None`` while it is in transit."""
        return self.accepted if self.accepted is not None else self.lost


@dataclass(frozen=True, slots=True)
class DrawnCut:
    """A snapshot: ``at`` maps the index of each lane that has recorded to the time at which it did.

    A time is the index of the event in which the lane records, or lies half-way between two. ``name`` is
    ``snapshot``, or ``checkpoint 1``, and ``number`` 0, or that of the checkpoint. ``states`` holds each lane's
    recorded state as TLA+.
    """

    name: str
    at: Mapping[int, float]
    states: Mapping[int, str]
    number: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """A part of a recorded channel state: ``text`` was recorded of ``channel`` at event ``at``, for cut ``cut``.

    ``message`` is the id of its message, ``None`` if that was not in the channel then.
    """

    cut: str
    channel: str
    text: str
    at: int
    message: int | None = None


@dataclass(frozen=True, slots=True)
class Diagram:
    """A complete diagram. ``events[i]`` belongs to ``trace.steps[i]``.

    ``violated`` names the property that the trace violates, and ``violated_at`` is the index of the event where it
    does: the last, or ``None`` for a liveness property. ``lasso`` is the index of the event that the
    end returns to; ``stuttering`` means that nothing happens any more.
    """

    title: str
    lanes: tuple[Lane, ...]
    events: tuple[DrawnEvent, ...]
    messages: tuple[DrawnMessage, ...] = ()
    cuts: tuple[DrawnCut, ...] = ()
    kept: tuple[Kept, ...] = ()
    violated: str | None = None
    violated_at: int | None = None
    lasso: int | None = None
    stuttering: bool = False
