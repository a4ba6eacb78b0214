"""The values that the TLA+ variables have in a state that a structure describes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pyharness.proof.logic import CHANNEL, POSITION, PROCESS, Structure, reader
from pyharness.tla.values import function, record

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyharness.proof.proof_module import System
    from pyharness.proof.steps import State

RECORDED: Final = ("recChan", "whiteInRed", "redInWhite")
"""The variables that have a sequence of messages for each channel."""

CLOSING: Final = ("closed", "arrived")
"""The variables that are sets of channels."""

_CONTROL: Final = {"ChandyLamport": "marker"}

_ARGUMENTS: Final = {PROCESS: "p", CHANNEL: "c", POSITION: "k"}


class StateValues:
    """Reads a state of a proof module as TLA+ values; make one for a state, and use it for many structures."""

    def __init__(self, module: System, state: State) -> None:
        self._names = [symbol.name for symbol in module.variables]
        self._control = record(control=_CONTROL.get(module.name, "barrier"))
        self._read: dict[str, Callable[..., int]] = {
            symbol.name: reader(
                getattr(state, symbol.name), "".join(_ARGUMENTS[sort] for sort in symbol.arguments)
            )
            for symbol in module.variables
        }

    def __call__(
        self,
        structure: Structure,
        channels: Sequence[tuple[int, int]],
        states: Sequence[Any],
        messages: Sequence[Any],
        numbers: Sequence[int] | None = None,
    ) -> dict[str, Any]:
        """Return the variables, but for ``topo``.

        ``channels`` are the pairs that the channels are, in their order; ``states`` and ``messages`` what is meant by
        the elements of these sorts; ``numbers`` those of the processes, from 1 in their order if none are given.
        """
        positions, processes = structure.universe[POSITION], structure.universe[PROCESS]
        named = dict(zip(processes, numbers or range(1, len(processes) + 1), strict=True))

        def says(name: str, *place: int) -> int:
            return self._read[name](structure, *place)

        def element(c: int, k: int) -> Any:
            if "isMarker" in self._read and says("isMarker", c, k):
                return self._control
            return record(msg=messages[says("msg", c, k)], colour="red" if says("isRed", c, k) else "white")

        def by_channel(read: Callable[[int], Any]) -> Any:
            return function((channel, read(c)) for c, channel in enumerate(channels))

        def within(name: str, c: int) -> list[int]:
            return [k for k in positions if says(name, c, k)]

        def recorded(name: str, c: int) -> Any:
            return tuple(messages[says("msg", c, k)] for k in within(name, c))

        found = {
            "state": function((n, states[says("state", p)]) for p, n in named.items()),
            "recState": function(
                (n, states[says("recState", p)]) for p, n in named.items() if says("red", p)
            ),
            "chan": by_channel(lambda c: tuple(element(c, k) for k in within("chan", c))),
        }
        for name in self._names:
            if name in RECORDED:
                found[name] = by_channel(partial(recorded, name))
            elif name in CLOSING:
                found[name] = frozenset(channel for c, channel in enumerate(channels) if says(name, c))
        if "paused" in self._read:
            found["paused"] = frozenset(n for p, n in named.items() if says("paused", p))
        if "closed" in self._read:
            found["markers"] = by_channel(
                lambda c: sum(bool(says("isMarker", c, k)) for k in within("sent", c))
            )
        return found
