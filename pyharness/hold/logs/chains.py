"""A snapshot of a log as a chain of steps of its spec, which TLC walks with the spec's own Init and Next.

The application of the walk is a counter: a process's state is the number of its events in the chain, and a message is
its sender's state after it. A chain begins as the first process pauses, records or sends a marker, with a sending of
each message in a channel, and ends as the last is done, or with the log. No rule is checked here: the log's events
are written down as they are.
"""

from __future__ import annotations

import re
import tempfile
from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import IncompleteError, ToolError
from pyharness.hold.logs.log_events import UNKNOWN, parts_of, same
from pyharness.hold.logs.rules import PROTOCOLS
from pyharness.models.render import Rendered
from pyharness.models.schedule_model import TEMPLATES
from pyharness.models.text_run import run_texts
from pyharness.tla.tlc import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyharness.hold.logs.log_events import Channel, LogEvent
    from pyharness.hold.logs.rules import Rules
    from pyharness.hold.logs.run_log import RunLog
    from pyharness.models.machine_tools import Tools


MOST_EVENTS: Final = 30_000
"""The greatest length of a chain for TLC: the records within it are copied in each state."""

_MOST_CHANNELS: Final = 4_095
"""The greatest number of channels of a graph for TLC: a step has room for no more."""

SEND, RECEIVE, INTERNAL, RECORD, MARKER, RECORDED, MARKER_OUT, DONE, END, PAUSE, RESUME = range(11)

_ROOM: Final = 32_768


@dataclass
class Steps:
    """Steps of a chain: ``codes``, with the ``places`` that they come from.

    A code is ``kind + 16 * (process or channel, from 1) + 65536 * number``. A place is ``process * 2**40 + line``, 0
    for a message that was in a channel.
    """

    codes: array[int] = field(default_factory=lambda: array("l"))
    places: array[int] = field(default_factory=lambda: array("q"))

    def add(self, kind: int, subject: int, number: int, place: int) -> None:
        """Add a step."""
        self.codes.append(kind + 16 * subject + 65536 * min(number, _ROOM - 1))
        self.places.append(place)

    def extend(self, others: Steps) -> None:
        """Add the steps of another chain at the end."""
        self.codes.extend(others.codes)
        self.places.extend(others.places)


@dataclass
class Chain:
    """The chain of one snapshot: its ``steps``, of which there may be too many (``over``).

    Of a world that stops, ``records`` and ``late`` are moved after the events before the records: an order that
    is as good, if the snapshot is right. ``parts`` has the content of each event ``done``: for each input the messages
    recorded of it, and ``kept`` what the messages that crossed the cut carry. ``missing`` are the channels of which
    something is open, None while it is not known; ``arrived`` those on which the marker was accepted, ``marked`` those
    on which it was sent, by the log.
    """

    id: str
    steps: Steps = field(default_factory=Steps)
    records: Steps = field(default_factory=Steps)
    late: Steps = field(default_factory=Steps)
    parts: list[dict[int, list[int]]] = field(default_factory=list)
    own: dict[str, int] = field(default_factory=dict)
    names: dict[Channel, dict[int, int]] = field(default_factory=dict)
    begun: dict[Channel, int] = field(default_factory=dict)
    sent: dict[Channel, int] = field(default_factory=dict)
    recorded: dict[str, int] = field(default_factory=dict)
    perhaps: list[str] = field(default_factory=list)
    early: list[LogEvent] = field(default_factory=list)
    paused: set[str] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    kept: dict[Channel, list[Any]] = field(default_factory=dict)
    missing: set[Channel] | None = None
    arrived: set[Channel] = field(default_factory=set)
    marked: set[Channel] = field(default_factory=set)
    over: bool = False
    settled: bool = False


class Chains:
    """Collects the chains of a run; give it each event as :class:`Fold` gets it. ``ended`` are those that are complete.

    Where there are no markers, a process is found done once all have recorded: nothing in its own log shows it before.
    """

    def __init__(self, run: RunLog, rules: Rules) -> None:
        self._run, self._rules = run, rules
        self._open: dict[str, Chain] = {}
        self._settled: dict[str, Chain] = {}
        """The chains that no message changes any more; facts of their snapshots are added still."""
        self._closed: set[str] = set()
        self.ended: list[Chain] = []
        self.processes = {p: n for n, p in enumerate(run.processes, start=1)}
        self.channels = {c: n for n, c in enumerate(run.channels.values(), start=1)}
        self._last: dict[str, LogEvent] = {}

    def take(self, event: LogEvent) -> None:
        """Add an event to the chains that are open."""
        process, kind, name = event.process, event.kind, event.id
        place = (self.processes[process] << 40) + event.line
        begins = kind in {"record", "marker-out" if self._rules.markers else "pause"}
        if (
            begins
            and name is not None
            and not any(name in of for of in (self._open, self._settled, self._closed))
        ):
            self._open[name] = self._begin(name)
        if kind in {"send", "receive", "internal"}:
            for chain in [*self._open.values()]:
                self._step(chain, event, place)
        elif name is not None and (chain := self._open.get(name) or self._settled.get(name)):  # type: ignore[assignment]
            self._control(chain, event, place)
            self._last[process] = event
            self._settle(chain)
            if len(chain.done) == len(self.processes) and not chain.paused:
                self._close(chain)
        self._last[process] = event

    def finish(self) -> list[Chain]:
        """Close the chains that are open, and return all."""
        for chain in [*self._settled.values(), *self._open.values()]:
            self._close(chain)
        return self.ended

    def _begin(self, name: str) -> Chain:
        chain = Chain(name, own=dict.fromkeys(self.processes, 0))
        chain.over = len(self.channels) > _MOST_CHANNELS
        for channel, number in self.channels.items():
            names = chain.names[channel] = {}
            for message in range(channel.got + 1, channel.sent + 1):
                chain.own[channel.source] += 1
                names[message] = chain.own[channel.source]
                self._add(chain, "", SEND, number, 0, 0)
        return chain

    def _add(self, chain: Chain, process: str, kind: int, subject: int, number: int, place: int) -> None:
        """Add a step of a process; a chain that is too long takes none, and becomes ``over``."""
        late = self._rules.stops and process in chain.recorded
        if len(chain.steps.codes) + len(chain.late.codes) > MOST_EVENTS:
            chain.over = True
        elif not chain.over:
            (chain.late if late else chain.steps).add(kind, subject, number, place)

    def _step(self, chain: Chain, event: LogEvent, place: int) -> None:
        channel, process = event.channel, event.process
        chain.own[process] += 1
        if channel is None:
            self._add(chain, process, INTERNAL, self.processes[process], 0, place)
            return
        names = chain.names.setdefault(channel, {})
        number = event.number or 0
        if event.kind == "send":
            names[number] = chain.own[process]
            self._add(chain, process, SEND, self.channels[channel], 0, place)
            if self._rules.markers and process in chain.recorded and channel not in chain.marked:
                # a marker that has no line yet is late, or in no log
                self._add(chain, process, MARKER_OUT, self.channels[channel], 0, place)
            return
        self._keep(chain, channel)
        self._add(chain, process, RECEIVE, self.channels[channel], names.get(number, 0), place)
        if chain.missing and number >= chain.sent.get(channel, number + 1):
            chain.missing.discard(channel)
            self._settle(chain)

    def _control(self, chain: Chain, event: LogEvent, place: int) -> None:
        process, kind, channel = event.process, event.kind, event.channel
        subject = self.processes[process]
        if kind == "record":
            self._record(chain, event, place)
        elif channel is not None and self._rules.markers:
            self._add(
                chain, process, MARKER if kind == "marker" else MARKER_OUT, self.channels[channel], 0, place
            )
            (chain.arrived if kind == "marker" else chain.marked).add(channel)
        elif kind == "pause" and self._rules.stops:
            self._add(chain, process, PAUSE, subject, 0, place)
            chain.paused.add(process)
        elif kind == "resume" and self._rules.stops:
            self._add(chain, process, RESUME, subject, 0, place)
            chain.paused.discard(process)
        elif kind == "done" and self._is_early(chain, process):
            chain.early.append(event)
        elif kind == "done":
            self._done(chain, event)

    def _is_early(self, chain: Chain, process: str) -> bool:
        """Return whether it is too early to know if a process is done; one that has not recorded is not."""
        waits = process in chain.recorded and len(chain.recorded) < len(self.processes)
        return waits and not self._rules.markers

    def _record(self, chain: Chain, event: LogEvent, place: int) -> None:
        process, last = event.process, self._last.get(event.process)
        subject, own = self.processes[process], chain.own[process]
        if self._rules.stops:
            chain.records.add(RECORD, subject, 1, place)
        elif last is None or last.kind != "marker" or last.id != chain.id or not self._rules.markers:
            self._add(chain, process, RECORD, subject, 0, place)
        again = process in chain.recorded
        chain.recorded.setdefault(process, own)
        chain.begun |= {c: c.got for c in self.channels if c.target == process}
        chain.sent |= {c: c.sent for c in self.channels if c.source == process}
        if not self._rules.stops:
            self._add(chain, process, RECORDED, subject, own, place)
        if len(chain.recorded) < len(self.processes) or again:
            return
        chain.missing = {c for c in self.channels if c.got < chain.sent[c]}
        early, chain.early = chain.early, []
        for done in early:
            self._done(chain, done)

    def _settle(self, chain: Chain) -> None:
        """Take a chain out of those that messages change, if nothing is open in it."""
        if chain.missing is None or chain.id in self._settled or chain.paused:
            return
        if self._rules.markers and len(chain.arrived) < len(self.channels):
            return
        if self._rules.markers or self._rules.stops or not chain.missing:
            chain.settled = True
            for channel in self.channels:
                self._keep(chain, channel)
            self._settled[chain.id] = self._open.pop(chain.id)

    def _done(self, chain: Chain, event: LogEvent) -> None:
        number = self.processes[event.process]
        chain.parts.append(self._part(chain, event))
        place = (number << 40) + event.line
        self._add(chain, event.process, DONE, number, len(chain.parts), place)
        chain.done.add(event.process)

    def _part(self, chain: Chain, event: LogEvent) -> dict[int, list[int]]:
        """Return the content of an event ``done``, with messages as the chain numbers them; 0 stands for no message."""
        if event.content.get("chans") is None:
            return {}
        lists = dict(parts_of(event, self._run.at(event)))
        part = {}
        for channel, number in self.channels.items():
            if channel.target == event.process:
                self._keep(chain, channel)
                first, names = chain.begun.get(channel, channel.got) + 1, chain.names.get(channel, {})
                kept = chain.kept.get(channel, [])
                part[number] = [
                    names.get(first + at, 0)
                    if at >= len(kept) or kept[at] is UNKNOWN or same(kept[at], message)
                    else 0
                    for at, message in enumerate(lists.get((channel.source, channel.target), []))
                ]
        return part

    @staticmethod
    def _keep(chain: Chain, channel: Channel) -> None:
        """Keep what the messages that crossed the cut carry, before it is forgotten."""
        if channel in chain.begun and channel in chain.sent and channel not in chain.kept:
            numbers = range(chain.begun[channel] + 1, chain.sent[channel] + 1)
            chain.kept[channel] = [channel.carried(number) for number in numbers]

    def _close(self, chain: Chain) -> None:
        lasts = self._last.items()
        chain.perhaps = [p for p, last in lasts if last.kind == "marker" and last.id == chain.id]
        if self._rules.stops:
            self._in_phases(chain)
        chain.steps.add(END, 0, 0, chain.steps.places[-1] if chain.steps.places else 0)
        chain.own.clear()
        chain.names.clear()
        chain.kept.clear()
        self._open.pop(chain.id, None)
        self._settled.pop(chain.id, None)
        self._closed.add(chain.id)
        self.ended.append(chain)

    def _in_phases(self, chain: Chain) -> None:
        """Order the steps: those before any record, then the records, then all others.

        Without a pause all record in one step, or, if the log is cut off before all have, nothing is checked.
        """
        pauses = any(code % 16 == PAUSE for part in (chain.steps, chain.late) for code in part.codes)
        if not pauses and len(chain.recorded) < len(self.processes):
            chain.recorded.clear()
            return
        for code, place in zip(chain.records.codes, chain.records.places, strict=True):
            if pauses:
                chain.steps.add(RECORD, code // 16 % 4096, 1, place)
        if not pauses:
            chain.steps.add(RECORD, 1, 0, chain.records.places[-1])
        for process, own in chain.recorded.items():
            chain.steps.add(RECORDED, self.processes[process], own, chain.records.places[-1])
        chain.steps.extend(chain.late)


_MODULE: Final = "LogWalk"

_MOST_CODES: Final = 150_000
"""The number of steps for one run of TLC: its memory grows with the module."""

_CONSTANTS: Final = [
    *("Graphs", "Granularity", "InitialStates", "Sendable", "AfterSend", "Acceptable", "AfterAccept"),
    *("Internals", "Conserved"),
]

_MARKERS: Final = {
    "complete": "InputsOf[topo][p] \\subseteq arrived",
    "begin": "Initiate(WalkWhich)",
    "marker": "AcceptBarrier(WalkChannelAt[WalkWhich])",
    "offered": [
        ("Accept", "c \\in ChannelsOf[topo] : ENABLED Accept(c)"),
        ("AcceptBarrier", "c \\in ChannelsOf[topo] : ENABLED AcceptBarrier(c)"),
        ("Initiate", "p \\in ProcessesOf[topo] : ENABLED Initiate(p)"),
    ],
    "invariants": ["OneBarrier"],
}
_EXACT: Final = {"invariants": ["NoRedInWhite", "OneBarrier"]}
_WORDS: Final[dict[str, dict[str, Any]]] = {
    "ChandyLamport": {
        "complete": "LocallyComplete(p)",
        "begin": "Initiate(WalkWhich)",
        "marker": "AcceptMarker(WalkChannelAt[WalkWhich])",
        "offered": [
            ("Accept", "c \\in ChannelsOf[topo] : ENABLED Accept(c)"),
            ("AcceptMarker", "c \\in ChannelsOf[topo] : ENABLED AcceptMarker(c)"),
            ("Initiate", "p \\in ProcessesOf[topo] : ENABLED Initiate(p)"),
        ],
        "invariants": ["NoRedInWhite", "OneMarker", "LocallyFinal"],
    },
    "AlignedBarriers": _MARKERS | _EXACT,
    "UnalignedBarriers": _MARKERS | _EXACT,
    "AtLeastOnceBarriers": _MARKERS,
    "StopTheWorld": {
        "complete": "Complete",
        "begin": "IF WalkNumber = 0 THEN RecordAll ELSE Record(WalkWhich)",
        "marker": "FALSE",
        "pause": "Pause(WalkWhich)",
        "resume": "Resume(WalkWhich)",
        "offered": [
            ("Accept", "c \\in ChannelsOf[topo] : ENABLED Accept(c)"),
            ("Pause", "p \\in ProcessesOf[topo] : ENABLED Pause(p)"),
            ("Record", "p \\in ProcessesOf[topo] : ENABLED Record(p)"),
            ("Resume", "p \\in ProcessesOf[topo] : ENABLED Resume(p)"),
        ],
        "invariants": ["NoRedInWhite", "RecordedIsSSS"],
    },
    "WhiteRed": {
        "complete": '\\A c \\in InputsOf[topo][p] : Source(c) \\in Red /\\ Tinted(chan[c], "white") = << >>',
        "begin": "TurnRed({WalkWhich})",
        "marker": "FALSE",
        "offered": [
            ("Accept", "c \\in ChannelsOf[topo] : ENABLED Accept(c)"),
            ("TurnRed", "p \\in ProcessesOf[topo] : ENABLED TurnRed({p})"),
        ],
        "invariants": ["ColourDiscipline"],
    },
}
"""The parts of a spec that the walk needs: its names of the actions, and the invariants that cost little in each state."""

_WALKED: Final = re.compile(r'<<"walked", (\d{1,18})>>')
_STOPPED: Final = re.compile(r'<<\s*"stopped",\s*\d+,\s*(\d{1,18}),\s*(.*?>>)\s*>>', re.DOTALL)


@dataclass(frozen=True)
class Stop:
    """Where a chain's walk stopped: the snapshot, the step's place in the log, what the spec enabled instead."""

    id: str
    place: int
    enabled: str


def walk_chains(
    protocol: str, chains: Chains, initiators: Sequence[int], tools: Tools, *, seconds: int = 600
) -> tuple[list[str], Stop | None]:
    """Walk all chains in the unchanged spec; return the ids of those walked to the end, and where another stopped.

    Raises IncompleteError for a run of TLC that did not end, and ToolError for one that failed.
    """
    walked: list[str] = []
    stop = None
    asked = [chain for chain in chains.ended if not chain.over]
    for group in _groups(asked):
        ended, _ = _run(protocol, chains, group, initiators, tools, seconds, explain=False)
        walked += [chain.id for number, chain in enumerate(group, start=1) if number in ended]
        left = [chain for number, chain in enumerate(group, start=1) if number not in ended]
        if left and stop is None:
            _, output = _run(protocol, chains, left[:1], initiators, tools, seconds, explain=True)
            stopped = _STOPPED.search(output)
            if stopped is None:
                raise ToolError(f"TLC does not report where the walk of snapshot {left[0].id} stopped")
            places = left[0].steps.places
            stop = Stop(left[0].id, places[int(stopped[1]) - 1], _in_words(stopped[2], chains))
    return walked, stop


_OFFERED: Final = re.compile(r'<<\s*"(\w+)",\s*\{(.*?)\}\s*>>', re.DOTALL)
_WHERE: Final = re.compile(r"<<(\d{1,18}), (\d{1,18})>>|(\d{1,18})")


def _in_words(enabled: str, chains: Chains) -> str:
    """Write TLC's enabled actions with the names of processes: ``Accept of A->B, B->A``."""
    names = {number: name for name, number in chains.processes.items()}
    offered = []
    for action, places in _OFFERED.findall(enabled):
        found = [
            f"{names[int(a)]}->{names[int(b)]}" if a else names.get(int(alone), alone)
            for a, b, alone in _WHERE.findall(" ".join(places.split()))
        ]
        if found:
            offered.append(f"{action} of {', '.join(found)}")
    return "; ".join(offered) or "nothing"


def _groups(chains: Sequence[Chain]) -> Iterator[list[Chain]]:
    group: list[Chain] = []
    codes = 0
    for chain in chains:
        if group and codes + len(chain.steps.codes) > _MOST_CODES:
            yield group
            group, codes = [], 0
        group.append(chain)
        codes += len(chain.steps.codes)
    if group:
        yield group


def _run(
    protocol: str,
    chains: Chains,
    group: Sequence[Chain],
    initiators: Sequence[int],
    tools: Tools,
    seconds: int,
    *,
    explain: bool,
) -> tuple[set[int], str]:
    pairs = [(chains.processes[c.source], chains.processes[c.target]) for c in chains.channels]
    names = [f"<<{source}, {target}>>" for source, target in pairs]
    words = {"pause": "FALSE", "resume": "FALSE"} | _WORDS[protocol]
    fields = words | {
        "module": _MODULE,
        "spec": protocol,
        "graphs": f"[g |-> [processes |-> {len(chains.processes)}, channels |-> {{{', '.join(names)}}}, "
        f"initiators |-> {{{', '.join(map(str, initiators))}}}]]",
        "channels": names,
        "chains": [_fields(chains, chain, names) for chain in group],
        "constants": [*_CONSTANTS, *(["LowerBound"] if not PROTOCOLS[protocol].exact else [])],
        "explain": explain,
    }
    with tempfile.TemporaryDirectory(prefix="pyharness-log-") as scratch:
        place = Path(scratch)
        texts = (TEMPLATES.get_template(f"log.{suffix}.jinja").render(fields) for suffix in ("tla", "cfg"))
        output = place / "output"
        result = run_texts(
            Rendered(_MODULE, *texts),
            tools,
            place,
            output=output,
            heap_mib=2048,
            timeout=seconds,
            quick_jvm=sum(len(chain.steps.codes) for chain in group) < 20_000,
        )
        text = output.read_text(encoding="utf-8", errors="replace")
    if result.outcome is Outcome.INVARIANT:
        raise ToolError(
            f"an invariant is violated in a walk that only takes steps of {protocol}: {result.violated}"
        )
    if result.outcome is not Outcome.SUCCESS:
        kind = IncompleteError if result.outcome is Outcome.INCOMPLETE else ToolError
        raise kind(f"TLC did not walk the snapshots: {result.outcome.value}\n{result.error_text[:2000]}")
    return {int(number) for number in _WALKED.findall(text)}, text


def _fields(chains: Chains, chain: Chain, names: Sequence[str]) -> dict[str, Any]:
    codes = [str(code) for code in chain.steps.codes]
    parts = []
    for part in chain.parts:
        entries = [f"({names[c - 1]} :> <<{', '.join(map(str, ms))}>>)" for c, ms in part.items()]
        parts.append(" @@ ".join(entries) or "<< >>")
    recorded = sorted(chains.processes[p] for p in chain.recorded)
    perhaps = sorted({*recorded, *(chains.processes[p] for p in chain.perhaps)})
    return {
        "lines": [", ".join(codes[n : n + 24]) for n in range(0, len(codes), 24)],
        "parts": parts,
        "recorded": f"{{{', '.join(map(str, recorded))}}}",
        "perhaps": f"{{{', '.join(map(str, perhaps))}}}",
    }
