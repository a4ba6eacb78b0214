"""A team of programs, one for each process of a graph, given the events of the spec's machines and compared with them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from pyharness.base.errors import ProgramError, SilentError
from pyharness.base.toolchain.clean_text import one_line
from pyharness.hold.programs.group_keeper import GroupKeeper
from pyharness.hold.programs.node import ProgramNode, Reply
from pyharness.hold.programs.vocabulary import ID
from pyharness.hold.programs.wire import NoAnswerError, canonical, node_name, require_shows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import TracebackType

    from pyharness.hold.programs.child_process import Limits
    from pyharness.hold.programs.vocabulary import Event
    from pyharness.hold.programs.watched_machine import Watched, WatchedState
    from pyharness.machines.systems.system import GlobalState, System

_MOST_SHOWN: Final = 300
"""The number of characters of a program's output that are shown."""


class Mismatch(NamedTuple):
    """One field in which a program differs: its name, the spec's value, and the program's value.

    ``field`` is ``refuses``, ``sends to n2``, a field that is shown, or ``fails`` or ``says nothing``, for no answer.
    """

    field: str
    spec: str
    program: str


class Response(NamedTuple):
    """The result of a request to a program: a pure program's next state, and the differences, if any."""

    memory: str | None
    mismatches: tuple[Mismatch, ...] = ()


class Programs:
    """The programs of a command line: a team for each size of graph, started when it is needed first.

    Close it, or use it in a ``with``: no process of theirs is left.
    """

    def __init__(self, command: Sequence[str], limits: Limits) -> None:
        self.command, self.limits = tuple(command), limits
        self.asked = 0
        """The number of events that closed programs were given."""
        self._keeper = GroupKeeper()
        self._teams: dict[range, Team] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with ExitStack() as stack:
            stack.callback(self._keeper.close)
            for team in self._teams.values():
                stack.callback(team.close)

    def team(self, processes: int) -> Team:
        """Return the team of a graph of this size, a new one if it has failed. Raises as :class:`ProgramNode` does."""
        return self._team(range(1, processes + 1))

    def alone(self, process: int) -> Team:
        """Return the team of one that plays the last of ``processes``. Raises as :class:`ProgramNode` does."""
        return self._team(range(process, process + 1))

    def renew(self) -> None:
        """Close all programs: later requests go to new processes."""
        for players in list(self._teams):
            self._drop(players)

    def _team(self, players: range) -> Team:
        team = self._teams.get(players)
        if team is None or team.broken:
            self._drop(players)
            team = self._teams[players] = Team(self.command, players, self.limits, self._keeper)
        return team

    def _drop(self, players: range) -> None:
        team = self._teams.pop(players, None)
        if team is not None:
            self.asked += team.asked
            team.close()

    def requests(self) -> int:
        """Return the number of events that all programs were given."""
        return self.asked + sum(team.asked for team in self._teams.values())


class Team:
    """A program for each process of a graph. Raises SpecError if they cannot be started, ProgramError if one fails."""

    def __init__(self, command: Sequence[str], players: range, limits: Limits, keeper: GroupKeeper) -> None:
        self.nodes: list[ProgramNode] = []
        self.pure = False
        self.broken = False
        """Whether a program has failed, so that the team takes no more requests."""
        self._settings: dict[int, dict[str, Any]] = {}
        try:
            for process in players:
                self.nodes.append(ProgramNode(command, process, players.stop - 1, limits, keeper))
        except BaseException:
            self.close()
            raise

    @property
    def asked(self) -> int:
        """The number of events that the programs were given."""
        return sum(node.asked for node in self.nodes)

    def close(self) -> None:
        """Kill all programs."""
        with ExitStack() as stack:
            for node in self.nodes:
                stack.callback(node.close)

    def begin(self, system: System, state: GlobalState) -> GlobalState:
        """Reset all to an initial state; return it with the states of pure programs in it. Raises ProgramError."""
        memories = []
        for number, (node, local) in enumerate(zip(self.nodes, state.local, strict=True)):
            setting = self._settings[number + 1] = setting_of(system, number + 1, local.app)
            try:
                memories.append(node.reset(setting))
            except ProgramError:
                self.broken = True
                raise
        self.pure = None not in memories
        local = tuple(one._replace(memory=m) for one, m in zip(state.local, memories, strict=True))
        return state._replace(local=local)

    def ask(
        self,
        machine: Watched,
        before: WatchedState,
        event: Event,
        after: WatchedState | None,
        way: Iterable[Event] | None = None,
    ) -> Response:
        """Give the program that plays ``machine`` an event, and compare its answer with the machine's step.

        The spec's machine goes from ``before`` to ``after``, or refuses the event if that is ``None``. A stateful
        program is led to ``before`` by its own events ``way``; without them it is there already.
        """
        number = machine.machine.identity
        node = self.nodes[number - 1]
        try:
            if before.memory is not None:
                answer = node.step(before.memory, event)
            elif way is None:
                answer = node.take(event)
            else:
                answer = node.take_after(self._settings[number], way, event)
            found = _compared(machine, before, event, after, answer)
        except ProgramError as error:
            self.broken = True
            return Response(None, (_failure(error),))
        return Response(answer.state if after is not None else before.memory, found)

    def quiet(self) -> None:
        """Require that stateful programs have written nothing since their last answers. Raises ProgramError."""
        if not self.pure:
            for node in self.nodes:
                try:
                    node.show()
                except ProgramError:
                    self.broken = True
                    raise


def setting_of(system: System, process: int, app: Iterable[int]) -> dict[str, Any]:
    """Return the body of a process's reset."""
    machine = system.processes[process - 1].machine
    return {
        "protocol": system.protocol,
        "inputs": [node_name(source) for source, _ in machine.inputs],
        "outputs": [node_name(target) for _, target in machine.outputs],
        "initiator": machine.is_initiator,
        "items": sorted(app),
    }


def _failure(error: ProgramError) -> Mismatch:
    message = f"{error.message}; {error.hint}" if error.hint else error.message
    return Mismatch("says nothing" if isinstance(error, SilentError) else "fails", "", message)


def _compared(
    machine: Watched, before: WatchedState, event: Event, after: WatchedState | None, answer: Reply
) -> tuple[Mismatch, ...]:
    """Return how an answer differs from what the spec's machine does. Raises ProgramError if it shows nothing."""
    if after is None:
        return tuple(_refusal(machine, before, event, answer))
    if answer.refused is not None:
        return (Mismatch("refuses", "takes it", f"refuses it: {answer.refused}".rstrip(": ")),)
    return (*_sent(machine, after, answer), *_shown(machine.shows(after), answer, machine))


def _refusal(machine: Watched, before: WatchedState, event: Event, answer: Reply) -> Iterable[Mismatch]:
    """Yield how an answer is not a refusal: to a request of the harness, doing nothing is one."""
    for sent in answer.sent:
        yield Mismatch(
            f"sends to {one_line(sent.dest, 40)}", "refuses it, and sends nothing", _words([sent.body])
        )
    if answer.shows is not None:
        changed = list(_shown(machine.shows(before), answer, machine))
        if answer.state is not None and answer.state != before.memory:
            states = (one_line(state or "", _MOST_SHOWN) for state in (before.memory, answer.state))
            changed.append(Mismatch("state", *states))
        yield from changed
        if answer.refused is None and not changed and not answer.sent and not event.is_request():
            yield Mismatch("refuses", "refuses it", "takes it")


def _sent(machine: Watched, after: WatchedState, answer: Reply) -> Iterable[Mismatch]:
    asked = after.asked
    targets = [node_name(target) for _, target in machine.machine.outputs]
    wanted = dict(zip(targets, asked.sent, strict=True)) if asked is not None else {}
    for dest in dict.fromkeys([*targets, *(sent.dest for sent in answer.sent)]):
        own = [sent.body for sent in wanted.get(dest, ())]
        got = [sent.body for sent in answer.sent if sent.dest == dest]
        if own != got:
            yield Mismatch(f"sends to {one_line(dest, 40)}", _words(own), _words(got))


def _words(bodies: Sequence[str]) -> str:
    return one_line(", ".join(bodies), _MOST_SHOWN) or "nothing"


def _shown(wanted: Mapping[str, Any], answer: Reply, machine: Watched) -> Iterable[Mismatch]:
    try:
        got = _normal(answer.shows)
    except NoAnswerError as error:
        raise ProgramError(str(error), where=node_name(machine.machine.identity)) from None
    if canonical(wanted) == canonical({name: got[name] for name in wanted if name in got}):
        return
    for name, own in wanted.items():
        if name not in got or canonical(own) != canonical(got[name]):
            shown = one_line(canonical(got[name]), _MOST_SHOWN) if name in got else "not shown"
            yield Mismatch(name, canonical(own), shown)


def _normal(shows: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what is shown with sets in order, and without inputs of which nothing is recorded."""
    require_shows(shows)
    found = _snapshot(dict(shows or {}))
    found["items"] = sorted(found["items"])
    if "snapshots" in found:
        found["snapshots"] = sorted(map(_snapshot, found["snapshots"]), key=lambda each: each[ID])
    return found


def _snapshot(shown: Mapping[str, Any]) -> dict[str, Any]:
    recorded = {"recorded": sorted(shown["recorded"])} if shown.get("recorded") is not None else {}
    channels = {name: kept for name, kept in shown.get("channels", {}).items() if kept}
    return {**shown, **recorded, "channels": channels}
