"""Validate the log of a run: the fold decides and locates, and TLC decides the same in the unchanged spec."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import DisagreementError, HarnessError, IncompleteError, SpecError
from pyharness.hold.logs.chains import Chains, walk_chains
from pyharness.hold.logs.clock_fold import ClockFold
from pyharness.hold.logs.fold import Fold
from pyharness.hold.logs.log_events import LogEvent, RefusedError, numbered
from pyharness.hold.logs.rules import PROTOCOLS, possible
from pyharness.hold.logs.run_log import RunLog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from random import Random

    from pyharness.hold.logs.chains import Stop
    from pyharness.hold.logs.log_events import Channel
    from pyharness.models.machine_tools import Tools


_MOST: Final = 24
"""The number of events that are tried; each takes a copy of the known state."""


def accepted_instead(fold: Fold, refused: LogEvent) -> list[str]:
    """Return in words the events that the fold would have taken of a process in place of one that it has refused."""
    found = []
    shared = {id(thing): thing for thing in (fold.run, fold.settled, *fold.run.channels.values())}
    for number, (event, words) in enumerate(_tried(fold, refused)):
        if number == _MOST:
            break
        trial = copy.deepcopy(fold, dict(shared))
        trial.forgets = False
        try:
            trial.take(event)
        except HarnessError:
            continue
        found.append(words)
    return found


def _tried(fold: Fold, refused: LogEvent) -> Iterator[tuple[LogEvent, str]]:
    process = refused.process

    def event(kind: str, channel: Channel | None = None, name: str | None = None) -> LogEvent:
        made = refused._replace(kind=kind, channel=channel, number=None, id=name, content={})
        return numbered(made, channel) if channel is not None else made

    names = [*fold.open, *fold.settled]
    kinds = ["record", "done", *(["pause", "resume"] if fold.rules.stops else [])]
    for name in names:
        for kind in kinds:
            yield event(kind, None, name), f"{kind} of {name}"
    for channel in fold.inputs[process]:
        receipt = event("receive", channel)
        if possible(receipt, channel, None):
            yield receipt, f"receive of message {receipt.number} on {channel.name}"
        for name, _ in channel.markers if fold.rules.markers else ():
            yield event("marker", channel, name), f"marker of {name} on {channel.name}"
    for channel in fold.outputs[process]:
        for name in sorted(fold.owed.get(channel, ())):
            yield event("marker-out", channel, name), f"marker-out of {name} on {channel.name}"
        yield event("send", channel), f"send of message {channel.sent + 1} on {channel.name}"
    yield event("internal"), "internal"


REPORT = "this is a bug of pyharness; please report it with the log"
"""The hint where the two do not agree."""


@dataclass
class Validation:
    """The result of the validation of a run's log.

    ``refused`` is the first line that is wrong, or None, and ``accepted`` what could have stood there. ``complete``
    and ``incomplete`` are ids of snapshots; ``crossing`` counts messages that crossed the cuts, ``behind`` those sent
    after a marker; ``vacuous`` is why the log shows nothing, ``unchecked`` what it does not let the reader check;
    ``walked`` has the snapshots that TLC walked to their end, None if it was not asked, ``stop`` where it stopped, and
    ``undecided`` those too long for it; ``unfinished`` has the reports of snapshots that are missing though the log has
    ended.
    """

    directory: Path
    protocol: str
    processes: int
    events: int = 0
    refused: RefusedError | None = None
    accepted: list[str] = field(default_factory=list)
    complete: list[str] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)
    crossing: int = 0
    behind: int = 0
    vacuous: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    walked: list[str] | None = None
    stop: Stop | None = None
    undecided: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """Return pass, violation, or incomplete."""
        if self.refused is not None:
            return "violation"
        return "incomplete" if self.vacuous or self.undecided or self.unfinished else "pass"

    @property
    def reason(self) -> str:
        """Why it did not pass; ``""`` if it did."""
        if self.refused is not None:
            instead = f"\n  accepted there: {', '.join(self.accepted)}" if self.accepted else ""
            return f"{self.refused}{instead}"
        undecided = [f"not decided by TLC: snapshot {name} has too many events" for name in self.undecided]
        unfinished = [f"not completed: {why}" for why in self.unfinished]
        return "; ".join([*(f"shows nothing: {why}" for why in self.vacuous), *unfinished, *undecided])


def validate(
    directory: Path, *, protocol: str = "", tools: Tools | None = None, shuffled: Random | None = None
) -> Validation:
    """Validate the log in a directory, by the rules of ``protocol``, by default the one that its headers name.

    With ``tools`` TLC walks each snapshot, too. ``shuffled`` takes the events in another order that is as good.

    Raises SpecError for a directory that is not a log, IncompleteError without a log or if TLC does not end, and
    DisagreementError if the fold and TLC do not agree, which is a bug of this tool.
    """
    run = RunLog(directory)
    try:
        name = _protocol(run, protocol)
        if run.clocked:
            return _by_clocks(run, name)
        fold = Fold(run, name)
        chains = Chains(run, PROTOCOLS[name]) if tools is not None else None
        result = Validation(directory, name, len(run.processes))
        _follow(result, fold, chains, shuffled)
        if run.clocks:
            fold.unchecked.add("vector clocks: channels show which event came first")
        _conclude(result, fold)
        result.unfinished = [] if result.refused else fold.unfinished
        result.vacuous = [] if result.refused else _vacuous(result, drained=fold.pauses.used)
        if chains is not None and tools is not None:
            _ask_tlc(result, run, chains, tools)
    finally:
        run.close()
    return result


def _protocol(run: RunLog, asked: str) -> str:
    name = asked or run.protocol or ("WhiteRed" if run.clocked else "")
    if not name:
        raise SpecError(
            "no header names a protocol", where=str(run.directory), hint="name it with --protocol"
        )
    if name not in PROTOCOLS:
        raise SpecError.unknown("protocol of logs", name, PROTOCOLS, where=str(run.directory))
    return name


def _by_clocks(run: RunLog, name: str) -> Validation:
    fold = ClockFold(run)
    result = Validation(run.directory, name, len(run.processes))
    _follow(result, fold, None, None)
    _conclude(result, fold)
    if not result.refused and not result.complete:
        result.vacuous.append("no snapshot is complete")
    elif not result.refused and not result.behind:
        result.vacuous.append("no process learned of an event of another after that one's record")
    return result


def _conclude(result: Validation, fold: Fold | ClockFold) -> None:
    result.events, result.complete, result.incomplete = fold.events, fold.complete, fold.incomplete
    result.crossing, result.behind = fold.crossing, fold.behind
    result.notes, result.unchecked = fold.run.notes, sorted(fold.unchecked)


def _follow(
    result: Validation, fold: Fold | ClockFold, chains: Chains | None, shuffled: Random | None
) -> None:
    """Give all events to the fold, and to the chains; TLC must see a broken rule of the protocol as well."""
    event = None
    try:
        for event in fold.run.merged(shuffled):
            if chains is not None:  # before the fold, which forgets what messages carried
                chains.take(event)
            if result.refused is None and not _taken(result, fold, event) and chains is None:
                return
            if result.refused is not None and not result.refused.protocol:
                return
        if result.refused is None:
            fold.finish()
    except RefusedError as error:
        result.refused = result.refused or error
    except RecursionError:
        where = fold.run.at(event) if event is not None else str(result.directory)
        raise SpecError("a value is nested too deep", where=where) from None


def _taken(result: Validation, fold: Fold | ClockFold, event: LogEvent) -> bool:
    """Return whether the fold takes an event; if not, note what it would have taken."""
    try:
        fold.take(event)
    except RefusedError as error:
        result.refused = error
        result.accepted = accepted_instead(fold, event) if isinstance(fold, Fold) else []
        return False
    return True


def _vacuous(result: Validation, *, drained: bool) -> list[str]:
    rules = PROTOCOLS[result.protocol]
    why = []
    if not result.complete:
        why.append("no snapshot is complete")
    elif result.processes < 2:
        why.append("only one process recorded")
    elif not result.behind:
        why.append("nothing was sent after a marker" if rules.markers else "nothing was sent after a record")
    elif not result.crossing and rules.exact and not rules.blocks and not drained:
        why.append("no message crossed a cut")
    return why


def _ask_tlc(result: Validation, run: RunLog, chains: Chains, tools: Tools) -> None:
    """Let TLC walk the chains, and require that it agrees. Raises DisagreementError if it does not."""
    ended = chains.finish()
    result.undecided = [chain.id for chain in ended if chain.over]
    targets = {channel.target for channel in chains.channels}
    initiators = [
        number
        for process, number in chains.processes.items()
        if (
            process not in targets
            if PROTOCOLS[result.protocol].begin
            else run.header(process).get("initiator") is not False
        )
    ]
    result.walked, result.stop = walk_chains(result.protocol, chains, initiators, tools)
    settled = {chain.id for chain in ended if chain.settled or len(chain.done) == result.processes}
    _require_agreement(result, run, settled)
    if not result.walked and result.complete and not result.undecided and result.refused is None:
        raise IncompleteError("TLC walked no snapshot", where=str(result.directory))


def _require_agreement(result: Validation, run: RunLog, settled: set[str]) -> None:
    """Require that TLC walks what the fold has found right, and not what it refuses by a rule of the protocol.

    On a snapshot that the log cuts off TLC may not reach the step that shows the fault.
    """
    refused, stop, walked = result.refused, result.stop, set(result.walked or ())
    right = set(result.complete) - set(result.undecided) - {refused.snapshot if refused is not None else None}
    if stop is not None and (refused is None or right - walked):
        name = stop.id if refused is None else min(right - walked)
        raise DisagreementError(
            f"TLC refuses snapshot {name}, and the fold does not; {result.protocol} enables {stop.enabled}",
            where=_place_of(run, stop.place),
            hint=REPORT,
        )
    if refused is not None and refused.protocol and refused.snapshot in settled & walked:
        raise DisagreementError(
            f"the fold refuses snapshot {refused.snapshot} ({refused.message}), and TLC walks it to its end",
            where=refused.where,
            hint=REPORT,
        )


def _place_of(run: RunLog, place: int) -> str:
    """Return the file and line of a chain's step."""
    process, line = place >> 40, place & (1 << 40) - 1
    return f"{run.processes[process - 1]}, line {line}" if process else "a message that was in its channel"
