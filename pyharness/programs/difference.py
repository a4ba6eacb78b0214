"""Where a program and the spec part: the case that shows it, and how it is told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyharness.programs.vocabulary import ID
from pyharness.programs.wire import node_name
from pyharness.protocols import Items

if TYPE_CHECKING:
    from pyharness.programs.team import Mismatch
    from pyharness.programs.vocabulary import Event
    from pyharness.programs.watched_machine import Taken
    from pyharness.topology import Topology


@dataclass(frozen=True)
class Case:
    """What programs are asked, to be asked again: on a graph, from where items are held at first.

    ``held`` has the items of each process, ``steps`` are actions, and ``last`` is the number of a process with the
    event at which it differs: one of an action, or one that the spec refuses there.
    """

    protocol: str
    topology: Topology
    held: tuple[tuple[int, ...], ...]
    steps: tuple[Taken, ...]
    last: tuple[int, Event]

    @property
    def application(self) -> Items:
        """The application, which begins like this."""
        placement = dict(enumerate(self.held, start=1))
        return Items(sorted(item for items in self.held for item in items), placement)

    @property
    def size(self) -> tuple[int, ...]:
        """What a smaller case has less of, the most important first."""
        graph, items = self.topology, sum(map(len, self.held))
        return len(self.steps), graph.processes, items, len(graph.channels), len(graph.initiators)


@dataclass(frozen=True)
class Difference:
    """A case, and how the program differs at its last event.

    ``found`` says where it was met, and ``again`` whether it came again when the case was asked of new processes.
    """

    case: Case
    mismatches: tuple[Mismatch, ...]
    found: str = ""
    again: bool = True

    @property
    def fields(self) -> frozenset[str]:
        """What differs."""
        return frozenset(mismatch.field for mismatch in self.mismatches)

    @property
    def silent(self) -> bool:
        """Whether all that is known is that no answer came in time."""
        return self.fields == {"says nothing"}

    def said(self, found: str) -> Difference:
        """Return it with the place where it was found."""
        return replace(self, found=found)

    def __str__(self) -> str:
        case, graph = self.case, self.case.topology
        channels = ", ".join(f"n{source} -> n{target}" for source, target in graph.channels)
        held = "; ".join(
            f"{node_name(number)} has {', '.join(map(str, items))}"
            for number, items in enumerate(case.held, start=1)
            if items
        )
        held = held or "nobody has an item"
        begins = ", ".join(map(node_name, graph.initiators)) or "nobody"
        lines = [f"graph {graph.id}: {channels}; may begin: {begins}; {held}"]
        width = len(str(len(case.steps) + 1))
        for number, step in enumerate(case.steps, start=1):
            lines.append(f"  {number:>{width}}  {'; '.join(event_words(*each) for each in step)}")
        lines.append(f"> {len(case.steps) + 1:>{width}}  {event_words(*case.last)}")
        for mismatch in self.mismatches:
            lines.append(f"     {mismatch.field}:")
            lines += [f"       the spec     {mismatch.spec}"] if mismatch.spec else []
            lines.append(f"       the program  {mismatch.program}")
        return "\n".join(lines)


def event_words(process: int, event: Event) -> str:
    """Return an event as a line: who is asked what, from where."""
    said = " ".join(f"{name} {_words(name, value)}" for name, value in event.said if value != ())
    if event.type == "send" and event.channel is not None:
        return f"{node_name(process)} sends {said.removeprefix('msg ')} to {node_name(event.channel[1])}"
    source = f" from {node_name(event.channel[0])}" if event.channel is not None else ""
    what = said.removeprefix("msg ") if event.type == "message" else f"{event.type} {said}".strip()
    return f"{node_name(process)} gets {what}{source}" if source else f"{node_name(process)}: {what}"


def _words(name: str, value: Any) -> str:
    if name == ID:
        return f"{node_name(value[0])}:{value[1]}"
    return ",".join(_words("", each) for each in value) if isinstance(value, tuple) else str(value)
