"""A machine with a seeded bug beside the right one, to know whether the bug had an effect."""

from __future__ import annotations

from typing import Any

from pyharness.errors import ProtocolError


class Compared:
    """Answers as ``machine`` does, and counts in ``effects`` the answers that ``right`` would not have given.

    Both are asked about the same state, which is handed in.
    """

    def __init__(self, machine: Any, right: Any) -> None:
        self._machine, self._right = machine, right
        self.effects = 0

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._machine, name)
        if not callable(asked):
            return asked

        def answer(*arguments: Any) -> Any:
            came = asked(*arguments)
            try:
                differs = came != getattr(self._right, name)(*arguments)
            except ProtocolError:
                differs = True
            self.effects += differs
            return came

        return answer
