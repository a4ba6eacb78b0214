"""Logs that are right, and logs that are not: what judges others' logs is judged by them first."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyharness.errors import ToolError
from pyharness.logs.rules import PROTOCOLS
from pyharness.logs.simulated import Simulation
from pyharness.logs.validation import validate

if TYPE_CHECKING:
    from pyharness.run.machine_tools import Tools

RING: Final = [(1, 2), (2, 1), (2, 3), (3, 2), (3, 1), (1, 3)]
_DATAFLOW: Final = [(1, 3), (2, 3), (3, 4), (1, 4)]


def simulated(
    protocol: str, seed: int = 1, *, steps: int = 300, snapshots: int = 4, bug: str = ""
) -> Simulation:
    """Return a run by a protocol, with some snapshots at once, all of them complete."""
    dataflow = PROTOCOLS[protocol].begin
    run = Simulation(protocol, 4 if dataflow else 3, _DATAFLOW if dataflow else RING, seed, bug=bug)
    for step in range(steps):
        if step % (steps // (snapshots + 1)) == 20:
            run.snapshot(f"1.{step}")
        run.step()
    run.drain()
    return run


def self_test(tools: Tools | None) -> int:
    """Judge shipped logs: of each protocol one that is right, and with a lost line, a wrong number, a bug others.

    Returns how many there were. Raises ToolError if one is not judged as it must be.
    """
    count = 0
    with tempfile.TemporaryDirectory(prefix="pyharness-log-") as scratch:
        for protocol, rules in PROTOCOLS.items():
            cases = [("right", simulated(protocol).lines, "pass")]
            lost = simulated(protocol).lines
            del lost[1][next(n for n, event in enumerate(lost[1]) if event.get("e") == "send")]
            cases.append(("a lost send", lost, "violation"))
            twice = simulated(protocol).lines
            at = next(n for n, event in enumerate(twice[2]) if event.get("e") == "record")
            twice[2].insert(at, twice[2][at])
            cases.append(("a record twice", twice, "violation"))
            if rules.markers:
                cases.append(
                    (
                        "a message ahead of the marker",
                        simulated(protocol, bug="late-marker").lines,
                        "violation",
                    )
                )
            cases.append(("no snapshot", simulated(protocol, snapshots=4, steps=15).lines, "incomplete"))
            for name, lines, expected in cases:
                count += 1
                place = write_log(Path(scratch) / f"{protocol}-{count}", lines)
                came = validate(
                    place, tools=tools if name in {"right", "a message ahead of the marker"} else None
                )
                if came.verdict != expected:
                    raise ToolError(
                        f"self-test: {protocol}, {name}: {came.verdict}, and not {expected}: "
                        f"{came.refused or came.vacuous}"
                    )
    return count


def write_log(directory: Path, lines: dict[int, list[dict[str, Any]]]) -> Path:
    """Write the log of a run, a file of each process, into a directory that is made; return it."""
    directory.mkdir(parents=True, exist_ok=True)
    for process, events in lines.items():
        text = "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events)
        (directory / f"p{process}.jsonl").write_text(text, encoding="utf-8")
    return directory
