"""A proof module as a system that runs: its formulas, evaluated on TLC's states.

A state is given, and returned, as the values of the TLA+ variables. The elements of a channel are put at positions, with
what was accepted from it ahead, and read off in their order again. The formulas are those that are proved; only the
application, which a proof knows nothing of, is asked what it can do.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain, combinations, product
from typing import TYPE_CHECKING, Any, Final

from pyharness.base.errors import ConformanceError
from pyharness.prove.logic import Structure, Symbol, Universe, compiled
from pyharness.prove.modules.application_proof import SOURCE, TARGET, VARIABLES
from pyharness.prove.modules.chandy_lamport_proof import INITIATOR
from pyharness.prove.modules.cyclic_barriers_proof import BACK, LEADS
from pyharness.prove.modules.snapshots_proof import BEFORE, BY, MARKER_ID, OF_IDS, OVERLAP, Snapshots
from pyharness.prove.obligations import invariant
from pyharness.prove.structure_values import values_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyharness.base.topology import Topology
    from pyharness.machines.protocols import Application
    from pyharness.prove.proof_module import Action, System

Values = dict[tuple[Symbol, tuple[int, ...]], int]

_SPARE: Final = 2
"""Positions at the end of each channel for what an action puts there: a message and a marker."""


class FirstOrderSystem:
    """A proof module on a graph, with an application. ``granularity`` is that of ``specs/Application.tla``.

    ``constants`` are those of the TLA+ module: ``Each`` and ``Overlap`` of ``Snapshots``.
    """

    def __init__(
        self,
        module: System,
        topology: Topology,
        application: Application,
        granularity: str = "event",
        constants: Mapping[str, Any] | None = None,
    ) -> None:
        self.module, self.topology, self.application = module, topology, application
        self.channels = list(topology.channels)
        given = constants or {}
        numbers = range(1, given.get("Each", 1) + 1)
        self.ids = [(p, k) for p in sorted(topology.initiators) for k in numbers]
        self.overlap = int(given.get("Overlap", 1))
        self._world = _WorldOfIds if isinstance(module, Snapshots) else _World
        self.names = {symbol.name for symbol in module.variables}
        self.actions = [a for a in module.actions() if granularity == "action" or "Exchange" not in a.name]
        self._steps = [_Ready(module, action) for action in self.actions]
        self._invariant = {name: compiled(body) for name, body in invariant(module, module.state()).items()}
        self._assumed = [fact.name for fact, _ in module.declared("assumption")]
        self._initial = compiled(module.initial(module.state()))

    def begins(self, variables: Mapping[str, Any]) -> bool:
        """Return whether a behaviour may begin in a state."""
        return bool(self._initial(self._world(self, variables).structure, {}))

    def unassumed(self, variables: Mapping[str, Any]) -> list[str]:
        """Return the assumptions that do not hold on this graph, of which any state will do."""
        structure = self._world(self, variables).structure
        return [name for name in self._assumed if not self._invariant[name](structure, {})]

    def broken(self, variables: Mapping[str, Any]) -> list[str]:
        """Return the conjuncts of the invariant, and the assumptions, that do not hold in a state."""
        structure = self._world(self, variables).structure
        return [name for name, holds in self._invariant.items() if not holds(structure, {})]

    def successors(self, variables: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every step that can be taken: the action's name, and the variables after it, but for ``topo``."""
        world = self._world(self, variables)
        for step in self._steps:
            for parameters in world.parameters(step.action):
                taken = world.extended(parameters)
                if step.guard(taken, {}):
                    yield (
                        step.action.name,
                        step.after(taken, self.channels, world.states, world.messages),
                    )


class _Ready:
    """An action whose formulas are ready to be evaluated."""

    def __init__(self, module: System, action: Action) -> None:
        step = action(module.state())
        self.action, self.guard = action, compiled(step.guard)
        self.after = values_of(module, step.after)


class _World:
    """A state as a structure: the positions of each channel, the values of local states and messages by number."""

    def __init__(self, system: FirstOrderSystem, variables: Mapping[str, Any]) -> None:
        self.system, self.given = system, variables
        self.states: list[Any] = []
        self.messages: list[Any] = []
        self.values: Values = {}
        topology = system.topology
        self.length = 0
        for c, channel in enumerate(system.channels):
            self.values[SOURCE, (c,)], self.values[TARGET, (c,)] = channel[0] - 1, channel[1] - 1
            self.values[BACK, (c,)] = int(channel[1] <= channel[0])
            self._fill(c, channel)
        for p in topology.initiators:
            self.values[INITIATOR, (p - 1,)] = 1
        regular = {(a, b) for a, b in system.channels if b > a}
        for p in range(1, topology.processes + 1):
            for q in _reached(p, regular):
                self.values[LEADS, (p - 1, q - 1)] = 1
        self._processes()

    def _set(self, name: str, place: tuple[int, ...], value: int = 1) -> None:
        self.values[VARIABLES[name], place] = value

    def _number(self, table: list[Any], value: Any) -> int:
        if value not in table:
            table.append(value)
        return table.index(value)

    def _processes(self) -> None:
        for p, local in _pairs(self.given["state"]):
            self._set("state", (p - 1,), self._number(self.states, local))
        for p, local in _pairs(self.given["recState"]):
            self._set("red", (p - 1,))
            self._set("recState", (p - 1,), self._number(self.states, local))
        for p in self.given.get("paused", ()):
            self._set("paused", (p - 1,))

    def _fill(self, c: int, channel: tuple[int, int]) -> None:
        """Put what was accepted from a channel at its first positions, then what is in it."""
        accepted = self._line(c, channel, self.given)
        within: list[tuple[str, Any]] = [
            ("control", None) if "control" in element else (element["colour"], element["msg"])
            for element in self.given["chan"][channel]
        ]
        line = [*accepted, *within]
        for k, (kind, _) in enumerate(within, start=len(accepted)):
            self._set("isRed", (c, k), int(kind == "red"))
            self._set("chan", (c, k))
        self._send(c, line)
        self._record(c, self.given["recChan"][channel], line)

    def _line(
        self, c: int, channel: tuple[int, int], given: Mapping[str, Any], first: int = 0
    ) -> list[tuple[str, Any]]:
        """Put what was accepted from a channel at its positions from ``first`` on, and return it in that order."""
        names = self.system.names
        closing = "closed" if "closed" in names else "arrived"
        ended = closing in names and channel in given[closing]
        accepted = given["whiteInRed" if "whiteInRed" in names else "recChan"][channel]
        early = given["redInWhite"][channel] if "redInWhite" in names else ()
        line: list[tuple[str, Any]] = [("white", m) for m in accepted]
        line += [("control", None)] if ended else []
        line += [("red", m) for m in early]
        for k, (kind, _) in enumerate(line, start=first):
            self._set("isRed", (c, k), int(kind == "red"))
            if kind == "white" and "whiteInRed" in names:
                self._set("whiteInRed", (c, k))
            elif kind == "red":
                self._set("redInWhite", (c, k))
        if ended:
            self._set(closing, (c,))
        return line

    def _send(self, c: int, line: Sequence[tuple[str, Any]]) -> None:
        """Return the messages that were ever sent on a channel."""
        for k, (kind, message) in enumerate(line):
            self._set("sent", (c, k))
            self._set("isMarker", (c, k), int(kind == "control"))
            if kind != "control":
                self._set("msg", (c, k), self._number(self.messages, message))
        self.length = max(self.length, len(line))

    def _record(
        self, c: int, recorded: Iterable[Any], line: Sequence[tuple[str, Any]], first: int = 0
    ) -> None:
        """Find where the messages that were recorded of a channel stand in a line that begins at ``first``."""
        at = 0
        for message in recorded:
            while at < len(line) and line[at] != ("white", message):
                at += 1
            if at == len(line):
                raise ConformanceError("what was recorded of a channel was neither accepted nor is in it")
            self._set("recChan", (c, first + at))
            at += 1

    @property
    def universe(self) -> Universe:
        """Its size, with room in each channel for what an action puts there."""
        return Universe(
            self.system.topology.processes,
            len(self.system.channels),
            self.length + _SPARE,
            len(self.states) or 1,
            len(self.messages) or 1,
            len(self.system.ids) or 1,
        )

    @cached_property
    def structure(self) -> Structure:
        """Return it as a structure."""
        return Structure(self.universe, self.values)

    # -- what can be done --------------------------------------------------------------------------------------

    def parameters(self, action: Action) -> Iterator[Values]:
        """Yield the parameters with which an action might be taken; its guard decides."""
        names = [symbol.name for symbol in action.parameters]
        symbols = {symbol.name: symbol for symbol in action.parameters}
        for chosen in self._chosen(names):
            ends = {"new": 0, "mark": 1}
            orders = [ends, {"new": 1, "mark": 0}] if {"new", "mark"} <= set(names) else [ends]
            for order in orders:
                values = dict(chosen)
                for name in ("new", "mark"):
                    if name in symbols:
                        values |= {
                            (name, (c,)): self.length + order[name] for c in range(len(self.system.channels))
                        }
                yield {(symbols[name], place): value for (name, place), value in values.items()}

    def _chosen(self, names: Sequence[str]) -> Iterator[dict[tuple[str, tuple[int, ...]], int]]:
        everybody = range(self.system.topology.processes)
        if "takes" in names:
            yield from self._exchanges(names)
        elif "turned" in names:
            for chosen in _subsets(everybody):
                yield {("turned", (p,)): 1 for p in chosen}
        elif "c" in names:
            yield from chain.from_iterable(self._on(c, names) for c in range(len(self.system.channels)))
        elif "p" in names:
            for p in everybody:
                ways = self._internals(p) if "t" in names else [{}]
                if "n" in names:
                    ways = [{("n", ()): n} for n in range(len(self.system.ids))]
                yield from ({("p", ()): p, **way} for way in ways)
        else:
            yield {}

    def _internals(self, p: int) -> Iterator[dict[tuple[str, tuple[int, ...]], int]]:
        for local in self.system.application.internals(p + 1, self._local(p)):
            yield {("t", ()): self._number(self.states, local)}

    def _local(self, p: int) -> Any:
        return self.states[self.values[VARIABLES["state"], (p,)]]

    def _on(self, c: int, names: Sequence[str]) -> Iterator[dict[tuple[str, tuple[int, ...]], int]]:
        channel, application = self.system.channels[c], self.system.application
        if "m" in names:
            local = self._local(channel[0] - 1)
            for m in application.sendable(channel[0], channel, local):
                t = application.after_send(channel[0], channel, local, m)
                yield self._at(
                    c, self.length, m=self._number(self.messages, m), t=self._number(self.states, t)
                )
            return
        for k in range(self.length):
            if not self.values.get((VARIABLES["chan"], (c, k))):
                continue
            if "t" not in names:
                yield self._at(c, k)
            elif not self.values.get((VARIABLES["isMarker"], (c, k))):
                message = self.messages[self.values[VARIABLES["msg"], (c, k)]]
                local = self._local(channel[1] - 1)
                if application.acceptable(channel[1], channel, local, message):
                    t = application.after_accept(channel[1], channel, local, message)
                    yield self._at(c, k, t=self._number(self.states, t))

    def _at(self, c: int, k: int, **more: int) -> dict[tuple[str, tuple[int, ...]], int]:
        return {("c", ()): c, ("k", ()): k, **{(name, ()): value for name, value in more.items()}}

    def _exchanges(self, names: Sequence[str]) -> Iterator[dict[tuple[str, tuple[int, ...]], int]]:
        """Yield what a process could accept and send in one action, as given by ``AfterAccepts`` and ``AfterSends``."""
        channels = self.system.channels
        heads = {c: k for c in range(len(channels)) if (k := self._head(c)) is not None}
        for p in range(self.system.topology.processes):
            inputs = [c for c in heads if channels[c][1] == p + 1]
            outputs = [c for c, channel in enumerate(channels) if channel[0] == p + 1]
            for taken, given in product(_subsets(inputs), _subsets(outputs)):
                local = self._accepted(p, sorted(taken, key=channels.__getitem__), heads)
                if local is None:
                    continue
                for after, bodies in self._sends(p, local, sorted(given, key=channels.__getitem__)):
                    base: dict[tuple[str, tuple[int, ...]], int] = {
                        ("p", ()): p,
                        ("t", ()): self._number(self.states, after),
                        **{("takes", (c,)): 1 for c in taken},
                        **{("at", (c,)): heads[c] for c in taken},
                        **{("gives", (c,)): 1 for c in given},
                        **{("body", (c,)): self._number(self.messages, m) for c, m in bodies.items()},
                    }
                    if "acts_red" in names:
                        yield {**base, ("acts_red", ()): 1}
                    yield base

    def _sends(self, p: int, local: Any, outputs: Sequence[int]) -> Iterator[tuple[Any, dict[int, Any]]]:
        if not outputs:
            yield local, {}
            return
        application, channel = self.system.application, self.system.channels[outputs[0]]
        for m in application.sendable(p + 1, channel, local):
            after = application.after_send(p + 1, channel, local, m)
            for end, bodies in self._sends(p, after, outputs[1:]):
                yield end, {outputs[0]: m, **bodies}

    def _head(self, c: int) -> int | None:
        return next((k for k in range(self.length) if self.values.get((VARIABLES["chan"], (c, k)))), None)

    def _accepted(self, p: int, taken: Sequence[int], heads: Mapping[int, int]) -> Any:
        """Return p's local state after it has accepted the messages of channels in order; None if it may not."""
        application, local = self.system.application, self._local(p)
        for c in taken:
            if self.values.get((VARIABLES["isMarker"], (c, heads[c]))):
                continue
            channel = self.system.channels[c]
            message = self.messages[self.values[VARIABLES["msg"], (c, heads[c])]]
            if not application.acceptable(p + 1, channel, local, message):
                return None
            local = application.after_accept(p + 1, channel, local, message)
        return local

    def extended(self, parameters: Values) -> Structure:
        """Return the structure in which the parameters of an action are these."""
        return self.structure.extended(self.universe, parameters)


class _WorldOfIds(_World):
    """A state of ``Snapshots``. Messages accepted for an id stand at positions of their own, one id after the other.

    So a message that is a part of two snapshots stands at two of them: nothing that holds of what was accepted
    holds of two ids at once.
    """

    _through: int | None = None

    def _set(self, name: str, place: tuple[int, ...], value: int = 1) -> None:
        if name not in OF_IDS:
            super()._set(name, place, value)
        elif self._through is not None:
            self.values[OF_IDS[name], (self._through, *place)] = value

    def _fill(self, c: int, channel: tuple[int, int]) -> None:
        line: list[tuple[str, Any]] = []
        for n, snapshot in enumerate(self.system.ids):
            self._through = n
            given = {name: self.given[name][snapshot] for name in ("closed", "whiteInRed", "redInWhite")}
            first, accepted = len(line), self._line(c, channel, given, len(line))
            self._record(c, self.given["recChan"][snapshot][channel], accepted, first)
            for k, (kind, _) in enumerate(accepted, start=first):
                if kind == "control":
                    self.values[MARKER_ID, (c, k)] = n
            line += accepted
        for k, element in enumerate(self.given["chan"][channel], start=len(line)):
            self._set("chan", (c, k))
            if "control" in element:
                self.values[MARKER_ID, (c, k)] = self.system.ids.index(element["id"])
            for n, snapshot in enumerate(self.system.ids):
                self._through = n
                self._set("isRed", (c, k), int("red" in element and snapshot in element["red"]))
        within = (
            ("control", None) if "control" in element else ("message", element["msg"])
            for element in self.given["chan"][channel]
        )
        self._send(c, [*line, *within])

    def _processes(self) -> None:
        for p, local in _pairs(self.given["state"]):
            self._set("state", (p - 1,), self._number(self.states, local))
        for n, snapshot in enumerate(self.system.ids):
            self._through = n
            for p, local in _pairs(self.given["recState"][snapshot]):
                self._set("red", (p - 1,))
                self._set("recState", (p - 1,), self._number(self.states, local))
            self.values[BY, (n,)] = snapshot[0] - 1
            for later in range(n + 1, len(self.system.ids)):
                self.values[BEFORE, (n, later)] = 1
        self.values[OVERLAP, ()] = self.system.overlap


def _pairs(value: Any) -> Iterable[tuple[Any, Any]]:
    """Return the arguments and values of a function of TLA+; one on 1..n is a sequence."""
    return enumerate(value, start=1) if isinstance(value, tuple) else value.items()


def _reached(p: int, channels: set[tuple[int, int]]) -> set[int]:
    found = {p}
    while more := {b for a, b in channels if a in found} - found:
        found |= more
    return found


def _subsets(items: Iterable[int]) -> Iterator[tuple[int, ...]]:
    kept = list(items)
    return chain.from_iterable(combinations(kept, size) for size in range(len(kept) + 1))
