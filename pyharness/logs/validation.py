"""Validate the log of a run: the fold decides and locates, and TLC decides the same in the unchanged spec."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyharness.errors import IncompleteError, SpecError, ToolError
from pyharness.logs.chains import Chains
from pyharness.logs.fold import Fold
from pyharness.logs.log_events import RefusedError
from pyharness.logs.rules import PROTOCOLS
from pyharness.logs.run_log import RunLog
from pyharness.logs.walk import walk_chains

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from pyharness.logs.walk import Stop
    from pyharness.run.machine_tools import Tools

__all__ = ["Validation", "validate"]


@dataclass
class Validation:
    """What a run's log came to.

    ``refused`` is the first line that is wrong, or None; ``complete`` and ``incomplete`` are ids of snapshots;
    ``crossing`` counts messages that crossed the cuts, ``behind`` those sent behind a marker; ``vacuous`` says why the
    log shows nothing, ``unchecked`` what it does not let anybody check; ``walked`` has the snapshots that TLC walked to
    their end, None if it was not asked, ``stop`` where it stopped, and ``undecided`` those too long for it.
    """

    directory: Path
    protocol: str
    processes: int
    events: int = 0
    refused: RefusedError | None = None
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

    @property
    def verdict(self) -> str:
        """Return pass, violation, or incomplete."""
        if self.refused is not None:
            return "violation"
        return "incomplete" if self.vacuous or self.undecided else "pass"


def validate(
    directory: Path, *, protocol: str = "", tools: Tools | None = None, shuffled: Random | None = None
) -> Validation:
    """Validate the log in a directory, by the rules of ``protocol``, by default the one that its headers name.

    With ``tools`` TLC walks each snapshot, too. ``shuffled`` takes the events in another order that is as good.

    Raises SpecError for what is no log, IncompleteError if there is none or TLC does not end, and ToolError if the fold
    and TLC do not agree, which is a bug of this tool.
    """
    run = RunLog(directory)
    try:
        name = protocol or run.protocol
        if name not in PROTOCOLS:
            if not name:
                raise SpecError(
                    "no header names a protocol", where=str(directory), hint="name it with --protocol"
                )
            raise SpecError.unknown("protocol of logs", name, PROTOCOLS, where=str(directory))
        fold, chains = (
            Fold(run, name),
            Chains(run, PROTOCOLS[name]) if tools is not None else None,
        )
        refused = _follow(run, fold, chains, shuffled)
        came = Validation(
            directory,
            name,
            len(run.processes),
            fold.events,
            refused,
            fold.complete,
            fold.incomplete,
            fold.crossing,
            fold.behind,
            notes=run.notes,
            unchecked=sorted(fold.unchecked),
        )
        came.vacuous = [] if refused else _vacuous(came)
        if chains is not None and tools is not None:
            _ask_tlc(came, run, chains, tools)
    finally:
        run.close()
    return came


def _follow(run: RunLog, fold: Fold, chains: Chains | None, shuffled: Random | None) -> RefusedError | None:
    """Give all events to the fold, and to the chains; a rule of the protocol that is broken is TLC's to see as well."""
    refused = None
    try:
        for event in run.merged(shuffled):
            if chains is not None:  # before the fold, which forgets what messages carried
                chains.take(event)
            if refused is None:
                try:
                    fold.take(event)
                except RefusedError as error:
                    refused = error
                    if chains is None or not error.protocol:
                        return error
        if refused is None:
            fold.finish()
    except RefusedError as error:
        return refused or error
    return refused


def _vacuous(came: Validation) -> list[str]:
    rules = PROTOCOLS[came.protocol]
    why = []
    if not came.complete:
        why.append("no snapshot is complete")
    elif came.processes < 2:
        why.append("only one process recorded")
    elif not came.behind:
        why.append(
            "nothing was sent behind a marker" if rules.markers else "nothing was sent by who had recorded"
        )
    elif not came.crossing and rules.exact and not rules.blocks:
        why.append("no message crossed a cut")
    return why


def _ask_tlc(came: Validation, run: RunLog, chains: Chains, tools: Tools) -> None:
    """Let TLC walk the chains, and require that it agrees. Raises ToolError if it does not."""
    ended = chains.finish()
    came.undecided = [chain.id for chain in ended if chain.over]
    targets = {channel.target for channel in chains.channels}
    initiators = [
        number
        for process, number in chains.processes.items()
        if (
            process not in targets
            if PROTOCOLS[came.protocol].begin
            else run.header(process).get("initiator") is not False
        )
    ]
    came.walked, came.stop = walk_chains(came.protocol, chains, initiators, tools)
    refused, stop = came.refused, came.stop
    if refused is None and stop is not None:
        raise ToolError(
            f"TLC refuses snapshot {stop.id}, and the fold does not; {came.protocol} enables {stop.enabled}",
            where=place_of(run, stop.place),
            hint="this is a bug of pyharness; please report it with the log",
        )
    whole = {chain.id for chain in ended if chain.settled or len(chain.done) == came.processes}
    if (
        refused is not None
        and refused.protocol
        and refused.snapshot in whole
        and refused.snapshot in came.walked
    ):
        raise ToolError(
            f"the fold refuses snapshot {refused.snapshot} ({refused.message}), and TLC walks it to its end",
            where=refused.where,
            hint="this is a bug of pyharness; please report it with the log",
        )
    if not came.walked and came.complete and not came.undecided and refused is None:
        raise IncompleteError("TLC walked no snapshot", where=str(came.directory))


def place_of(run: RunLog, place: int) -> str:
    """Return the file and line of a chain's step."""
    process, line = place >> 40, place & (1 << 40) - 1
    return f"{run.processes[process - 1]}, line {line}" if process else "a message that was in its channel"
