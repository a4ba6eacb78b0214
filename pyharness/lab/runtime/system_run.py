"""The parent of a running system: starts the processes, has snapshots taken, counts what they hold, and ends it all.

A directory has one run, with a log of each process. A channel is a pair of connected sockets, which have no address:
its two processes inherit an end each, and no other process can reach it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
import time
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pyharness.base import errors
from pyharness.base.errors import ConformanceError, HarnessError, IncompleteError, SpecError, ToolError
from pyharness.base.toolchain.own_files import locked, own_directory
from pyharness.base.topology import parse_topology
from pyharness.hold.programs.group_keeper import GroupKeeper
from pyharness.lab.runtime.dataflow_vertex import BARRIER_MODES
from pyharness.lab.runtime.vertex import Start
from pyharness.machines.protocols import OPERATOR_MUTANTS, Message
from pyharness.machines.protocols.snapshot_mutants import SNAPSHOTS_MUTANTS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

T = TypeVar("T")

MOST_PROCESSES: Final = 32
"""The most processes of a run."""

_LONGEST_ANSWER: Final = 64 * 1024 * 1024
_MOST_UNDER_WAY: Final = 8


@dataclass(frozen=True)
class RunSetting:
    """How to run a system: a graph in the notation of one line, a protocol, and the seconds.

    ``every`` are the milliseconds between two snapshots, of which there are none for 0, ``delay`` the mean ones between
    the turns of a process; ``window`` bounds the messages on the way, for each process of a bank and each channel of a
    dataflow; ``limit`` are the seconds that anything may take that is waited for. ``bug`` switches a seeded bug on.
    """

    topology: str = "ring:3"
    protocol: str = "ChandyLamport"
    seconds: float = 5.0
    seed: int = 1
    every: float = 100.0
    delay: float = 1.0
    window: int = 4
    limit: float = 30.0
    bug: str = ""


@dataclass
class TakenSnapshot:
    """A snapshot of the name ``id``, as far as its ``parts`` are there.

    ``held`` counts how much more its states and channels have than the run began with: money and transfers, or each
    word, of which a source has as many less as it emitted. ``in_flight`` messages are in its channels.
    """

    id: str
    parts: int = 0
    in_flight: int = 0
    held: Counter[str] = field(default_factory=Counter)

    def add(self, held: dict[str, int], in_flight: int = 0) -> None:
        """Add the part of a process."""
        self.parts += 1
        self.in_flight += in_flight
        self.held.update(held)

    @property
    def lost(self) -> int:
        """How much is in no part."""
        return -sum(count for count in self.held.values() if count < 0)

    @property
    def twice(self) -> int:
        """How much is there more often than once."""
        return sum(count for count in self.held.values() if count > 0)


@dataclass
class RunResult:
    """The results of a run: the snapshots that are complete, and the messages sent.

    ``effects`` counts how often a seeded bug made a difference; ``end`` has what is there in the end, as a snapshot.
    """

    snapshots: list[TakenSnapshot] = field(default_factory=list)
    messages: int = 0
    effects: int = 0
    end: TakenSnapshot = field(default_factory=lambda: TakenSnapshot("the end"))

    def inconsistent(self, protocol: str) -> list[TakenSnapshot]:
        """Return the snapshots that have lost something, or, unless records may come twice, have something twice."""
        twice = protocol == "AtLeastOnceBarriers"
        return [each for each in (*self.snapshots, self.end) if each.lost or (each.twice and not twice)]


def bugs_of(protocol: str) -> list[str]:
    """Return the names of the seeded bugs that a protocol can be run with."""
    if protocol in BARRIER_MODES:
        return sorted(OPERATOR_MUTANTS)
    return sorted(
        name
        for name, mutant in SNAPSHOTS_MUTANTS.items()
        if "process" in mutant and getattr(mutant["process"], "carries", Message) is Message
    )


def run_system(
    setting: RunSetting, out: Path, *, started: Callable[[dict[int, int]], None] | None = None
) -> RunResult:
    """Run a system, with its logs in a directory that has no run yet.

    ``started`` is called with the process ids, by vertex.

    Raises SpecError for what cannot be run, IncompleteError if a process ended or nothing went on, ConformanceError if
    a machine refused what came, and ToolError when something cannot be written, or another run uses the directory.
    """
    _require_possible(setting)
    with locked(out):
        return asyncio.run(_System(setting, out, started).run())


def _require_possible(setting: RunSetting) -> None:
    graph = parse_topology(setting.topology)
    if not 2 <= graph.processes <= MOST_PROCESSES:
        raise SpecError(
            f"{graph.processes} processes", where=setting.topology, hint=f"2 to {MOST_PROCESSES} can run"
        )
    if setting.bug and setting.bug not in bugs_of(setting.protocol):
        raise SpecError.unknown(f"bug of {setting.protocol}", setting.bug, bugs_of(setting.protocol))
    if setting.protocol in BARRIER_MODES:
        if any(source >= target for source, target in graph.channels):
            raise SpecError(
                "a channel leads back, and barriers run on graphs without cycles, numbered along the flow",
                where=setting.topology,
                hint="take a dataflow, such as diamond:4, join:3 or pipeline:3",
            )
    elif not graph.strongly_connected:
        raise SpecError(
            "not every process reaches every other, and money would gather",
            where=setting.topology,
            hint="take a ring, a clique, or any strongly connected graph",
        )
    elif not graph.initiators:
        raise SpecError(
            "no process may begin a snapshot", where=setting.topology, hint="name initiators after an @"
        )


class _Child:
    """A process of the system, as its parent has it."""

    def __init__(self, process: int, system: _System) -> None:
        self.process, self.system = process, system
        self.answers: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.ended = False

    async def start(self, sockets: Sequence[int]) -> None:
        """Start it with its sockets, in a process group of its own, which the keeper kills if this process is killed."""
        self.popen = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "pyharness.lab.runtime.vertex_process"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_ANSWER,
            start_new_session=True,
            pass_fds=sockets,
        )
        self.system.keeper.keep(self.popen.pid)
        self.listening = asyncio.ensure_future(self._listen())

    async def _listen(self) -> None:
        """Take its answers until it ends, and fail if it should not have ended."""
        assert self.popen.stdout is not None  # noqa: S101 - it was asked for
        try:
            while line := await self.popen.stdout.readline():
                self._take(json.loads(line))
        except ValueError:
            self.system.fail(ToolError("an answer that cannot be read", where=f"process {self.process}"))
        status = await self.popen.wait()
        if not self.ended:
            how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with {status}"
            self.system.fail(
                IncompleteError(
                    f"it {how}",
                    where=f"process {self.process}",
                    hint="`pyharness validate` checks its log up to there",
                )
            )

    def _take(self, answer: dict[str, Any]) -> None:
        match answer.pop("t"):
            case "answer":
                self.answers.put_nowait(answer)
            case "part":
                self.system.part(**answer)
            case "error":
                self.system.fail(_error(answer, f"process {self.process}"))

    async def ask(self, **command: Any) -> dict[str, Any]:
        """Have it do something, and return its answer. Raises what ended the run, or IncompleteError in time."""
        self.send(command)
        return await self.system.until(self.answers.get(), f"an answer of process {self.process}")

    def send(self, command: dict[str, Any]) -> None:
        """Send it a command."""
        if self.popen.stdin is not None and not self.popen.stdin.is_closing():
            self.popen.stdin.write(json.dumps(command).encode() + b"\n")

    async def end(self) -> None:
        """Kill it, unless it has ended, also if it is stopped."""
        self.ended = True
        with suppress(OSError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        await self.popen.wait()
        self.system.keeper.forget(self.popen.pid)
        await self.listening


def _error(answer: dict[str, Any], where: str) -> HarnessError:
    kind = getattr(errors, answer["kind"], None)
    if isinstance(kind, type) and issubclass(kind, HarnessError):
        return kind(answer["message"], where=answer["where"], hint=answer["hint"])
    if answer["kind"] == "OSError":
        return ToolError(f"a file cannot be written: {answer['message']}", where=where, hint="free some room")
    return ToolError(f"a bug of pyharness:\n{answer['message']}", where=where)


class _System:
    def __init__(
        self, setting: RunSetting, out: Path, started: Callable[[dict[int, int]], None] | None
    ) -> None:
        self.setting, self.out, self.started = setting, out, started
        self.graph = parse_topology(setting.topology)
        self.processes = range(1, self.graph.processes + 1)
        self.random = Random(setting.seed)  # noqa: S311 - who begins a snapshot
        self.result = RunResult()
        self.parts: dict[str, TakenSnapshot] = {}
        self.number = 0
        self.complete: set[str] = set()
        self.begun = dict.fromkeys(self.processes, 0)

    async def run(self) -> RunResult:
        """Run it all, and leave no process behind."""
        self.failed: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.moved = asyncio.Event()
        self.logs = own_directory(self.out / "logs")
        if any(self.logs.iterdir()):
            raise SpecError(
                "there is a run in this directory", where=str(self.out), hint="name a new directory by --out"
            )
        self.children: dict[int, _Child] = {}
        self.keeper = GroupKeeper()
        try:
            await self._start()
            await self._work()
            await self._end()
        finally:
            for child in self.children.values():
                await child.end()
            self.keeper.close()
            if not self.failed.cancel():
                self.failed.exception()  # it is raised, or something was before it
        return self.result

    def fail(self, error: HarnessError) -> None:
        """End the run with an error, unless it ends with one already; what disagrees goes before what is missing."""
        if not self.failed.done():
            self.failed.set_exception(error)

    async def until(self, awaited: Awaitable[T], what: str, seconds: float | None = None) -> T:
        """Wait for something, as long as the run goes on. Raises IncompleteError if it does not come in time."""
        task = asyncio.ensure_future(awaited)
        await asyncio.wait(
            {task, self.failed}, timeout=seconds or self.setting.limit, return_when=asyncio.FIRST_COMPLETED
        )
        if self.failed.done():
            task.cancel()
            self.failed.result()
        if not task.done():
            task.cancel()
            raise IncompleteError(
                f"{what} did not come in {self.setting.limit:g} seconds", where=str(self.out)
            )
        return task.result()

    # -- the beginning -------------------------------------------------------------------------------------

    async def _start(self) -> None:
        with ExitStack() as stack:  # what the children have inherited they keep
            pairs = {channel: socket.socketpair() for channel in self.graph.channels}
            for end in (end for pair in pairs.values() for end in pair):
                stack.enter_context(end)
            ends = {
                process: {
                    "inputs": [pairs[channel][1].fileno() for channel in self.graph.inputs(process)],
                    "outputs": [pairs[channel][0].fileno() for channel in self.graph.outputs(process)],
                }
                for process in self.processes
            }
            for process in self.processes:
                self.children[process] = child = _Child(process, self)
                await child.start([*ends[process]["inputs"], *ends[process]["outputs"]])
        if self.started is not None:
            self.started({process: child.popen.pid for process, child in self.children.items()})
        await self._all(lambda p: self.children[p].ask(**self._first(p), **ends[p]))
        await self._all(lambda p: self.children[p].ask(t="begin"))

    def _first(self, process: int) -> dict[str, Any]:
        given = self.setting
        start = Start(process, given.topology, given.protocol, given.seed, given.window, given.bug)
        return {"start": asdict(start), "delay": given.delay, "log": str(self.logs / f"{process}.jsonl")}

    async def _all(self, ask: Callable[[int], Awaitable[T]]) -> dict[int, T]:
        """Ask all processes at once."""
        answers = await asyncio.gather(*(ask(process) for process in self.processes))
        return dict(zip(self.processes, answers, strict=True))

    # -- snapshots -----------------------------------------------------------------------------------------

    async def _work(self) -> None:
        """Have snapshots taken until the time is over, and the last of them be complete."""
        end = time.monotonic() + self.setting.seconds
        while (left := end - time.monotonic()) > 0:
            await self._pause(min(left, self.setting.every / 1000 or left))
            if time.monotonic() >= end:
                break
            if self.setting.protocol == "ChandyLamport":
                if len(self.parts) < _MOST_UNDER_WAY:
                    await self._initiate()
            else:
                await self._checkpoint()
        while self.parts:
            self.moved.clear()
            await self.until(self.moved.wait(), f"the rest of snapshot {min(self.parts)}")

    async def _pause(self, seconds: float) -> None:
        await self.until(asyncio.sleep(seconds), "the end of a pause", seconds + self.setting.limit)

    async def _initiate(self) -> None:
        """Have one or two snapshots begun, at once. Raises ConformanceError for a number that is not the next one."""
        processes = self.random.choices(sorted(self.graph.initiators), k=self.random.randint(1, 2))
        answers = await asyncio.gather(*(self.children[p].ask(t="initiate") for p in processes))
        for process, answer in zip(processes, answers, strict=True):
            self.begun[process] += 1
            if answer["id"] != f"{process}.{self.begun[process]}":
                raise ConformanceError(
                    f"it begins snapshot {answer['id']}, and number {self.begun[process]} is its next",
                    where=f"process {process}",
                )
            if answer["id"] not in self.complete:
                self._begun(answer["id"])

    async def _checkpoint(self) -> None:
        """Have all sources begin a checkpoint, and wait until it is complete: there is one at a time."""
        self.number += 1
        name = str(self.number)
        self._begun(name)
        await self._all(lambda p: self.children[p].ask(t="checkpoint", id=self.number))
        while name in self.parts:
            self.moved.clear()
            await self.until(self.moved.wait(), f"the rest of checkpoint {name}")

    async def _drained(self) -> bool:
        """Whether all that was sent has been taken."""
        polled = (await self._all(lambda p: self.children[p].ask(t="poll"))).values()
        return bool(sum(each["sent"] for each in polled) == sum(each["got"] for each in polled))

    def _begun(self, name: str) -> TakenSnapshot:
        return self.parts.setdefault(name, TakenSnapshot(name))

    def part(self, id: str, held: dict[str, int], in_flight: int) -> None:  # noqa: A002 - as the answer has it
        """Take a process's part of a snapshot, and note the snapshot if it was the last."""
        taken = self._begun(id)
        taken.add(held, in_flight)
        if taken.parts == len(self.processes):
            del self.parts[id]
            self.complete.add(id)
            self.result.snapshots.append(taken)
            self.moved.set()

    # -- the end -------------------------------------------------------------------------------------------

    async def _end(self) -> None:
        """Let nothing more be sent, wait until all that was sent is taken, and let the processes end."""
        await self._all(lambda p: self.children[p].ask(t="drain"))
        end = time.monotonic() + self.setting.limit
        while not (await self._drained() and await self._drained()):
            if time.monotonic() > end:
                raise IncompleteError("what is on the way did not arrive in time", where=str(self.out))
            await self._pause(0.005)
        answers = await self._all(lambda p: self.children[p].ask(t="end"))
        for process, answer in answers.items():
            self.children[process].ended = True
            self.result.messages += answer["sent"]
            self.result.effects += answer["effects"]
            self.result.end.add(answer["held"])
