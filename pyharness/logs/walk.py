"""Let TLC walk the chains of a log: each step must be one that the spec's own next-state relation allows."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import IncompleteError, ToolError
from pyharness.logs.rules import PROTOCOLS
from pyharness.plan.schedule_model import TEMPLATES
from pyharness.tlc import Outcome, TlcRun, run_tlc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyharness.logs.chains import Chain, Chains
    from pyharness.run.machine_tools import Tools

_MODULE: Final = "LogWalk"

_MOST_CODES: Final = 150_000
"""So many steps one run of TLC is given: its memory grows with the module."""

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
"""What the walk needs of a spec: its names of the actions, and the invariants that cost little in each state."""

_WALKED: Final = re.compile(r'<<"walked", (\d+)>>')
_STOPPED: Final = re.compile(r'<<\s*"stopped",\s*\d+,\s*(\d+),\s*(.*?>>)\s*>>', re.DOTALL)


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
        ended, _ = _run(protocol, chains, group, initiators, tools, seconds, told=False)
        walked += [chain.id for number, chain in enumerate(group, start=1) if number in ended]
        left = [chain for number, chain in enumerate(group, start=1) if number not in ended]
        if left and stop is None:
            _, said = _run(protocol, chains, left[:1], initiators, tools, seconds, told=True)
            stopped = _STOPPED.search(said)
            if stopped is None:
                raise ToolError(f"TLC does not say where the walk of snapshot {left[0].id} stopped")
            places = left[0].steps.places
            stop = Stop(left[0].id, places[int(stopped[1]) - 1], _in_words(stopped[2], chains))
    return walked, stop


_OFFERED: Final = re.compile(r'<<\s*"(\w+)",\s*\{(.*?)\}\s*>>', re.DOTALL)
_WHERE: Final = re.compile(r"<<(\d+), (\d+)>>|(\d+)")


def _in_words(enabled: str, chains: Chains) -> str:
    """Write what TLC says is enabled with the names of processes: ``Accept of A->B, B->A``."""
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
    told: bool,
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
        "told": told,
    }
    with tempfile.TemporaryDirectory(prefix="pyharness-log-") as scratch:
        place = Path(scratch)
        for suffix in ("tla", "cfg"):
            text = TEMPLATES.get_template(f"log.{suffix}.jinja").render(fields)
            (place / f"{_MODULE}.{suffix}").write_text(text, encoding="utf-8")
        output = place / "output"
        run = TlcRun(
            tools.java,
            tools.jar,
            place,
            _MODULE,
            libraries=tools.specs,
            heap_mib=2048,
            timeout=seconds,
            quick_jvm=sum(len(chain.steps.codes) for chain in group) < 20_000,
            jvm_options=tools.jvm_options,
        )
        result = run_tlc(run, output=output)
        said = output.read_text(encoding="utf-8", errors="replace")
    if result.outcome is Outcome.INVARIANT:
        raise ToolError(
            f"an invariant is violated in a walk that only takes steps of {protocol}: {result.violated}"
        )
    if result.outcome is not Outcome.SUCCESS:
        kind = IncompleteError if result.outcome is Outcome.INCOMPLETE else ToolError
        raise kind(f"TLC did not walk the snapshots: {result.outcome.value}\n{result.error_text[:2000]}")
    return {int(number) for number in _WALKED.findall(said)}, said


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
