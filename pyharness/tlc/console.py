"""Read what TLC prints without ``-tool``, as the messages that it would have framed with it.

Without frames a message begins at a line of its own that tells which it is; a state ends at an empty line. What is
between messages (``Print``, the parser, lines that another program wrote) is passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pyharness.tlc.messages import ERROR, INFO, STATE, WARNING, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["console_messages", "is_console"]

_GENERAL: Final = 1000
_STATE: Final = 2217
_WITH_STATE: Final = frozenset({2107, 2108})

_STARTS: Final = (
    (r"State \d+: Stuttering", 2218, STATE),
    (r"State \d+: <", _STATE, STATE),
    (r"Back to state \d+", 2122, STATE),
    (r"Error: Invariant .* is violated by the initial state", 2107, ERROR),
    (r"Error: Property .* is violated by the initial state", 2108, ERROR),
    (r"Error: Invariant .* is violated\.", 2110, ERROR),
    (r"Error: Action property .* is violated\.", 2112, ERROR),
    (r"Error: Temporal propert(?:y|ies) .*w(?:as|ere) violated", 2116, ERROR),
    (r"Error: Deadlock reached\.", 2114, ERROR),
    (r"Error: The first argument of Assert evaluated to FALSE", 2132, ERROR),
    (r"Error: Assumption .* is false", 2104, ERROR),
    (r"Error: The behavior up to this point is:", 2121, ERROR),
    (r"Error: The following behavior constitutes a counter-example:", 2264, ERROR),
    (r"Error: Evaluating invariant ", 2111, ERROR),
    (r"Error: ", _GENERAL, ERROR),
    (r"Warning: ", _GENERAL, WARNING),
    (r"TLC2 Version ", 2262, INFO),
    (r"Running breadth-first search ", 2187, INFO),
    (r"Running depth-first search ", 2271, INFO),
    (r"Running Random Simulation ", 2188, INFO),
    (r"Progress[(:]", 2200, INFO),
    (r"Model checking completed\. No error has been found", 2193, INFO),
    (r"Finished checking temporal properties in ", 2267, INFO),
    (r"[\d,]+ states generated, .* left on queue", 2199, INFO),
    (r"The number of states generated: ", 2210, INFO),
    (r"Finished in ", 2186, INFO),
)
_START: Final = re.compile(rf"(?=[\dA-Z])(?:{'|'.join(f'({pattern})' for pattern, _, _ in _STARTS)})")


def is_console(text: str) -> bool:
    """Whether ``text`` has a line with which TLC begins its output, a violation or a state of a trace."""
    return re.search(r"^(?:TLC2 Version |Error: |State \d+: )", text, re.MULTILINE) is not None


@dataclass(slots=True)
class _Block:
    code: int
    kind: int
    lines: list[str] = field(default_factory=list)
    ended: bool = False

    def message(self, *, whole: bool) -> Message:
        text = "".join(self.lines).strip("\n")
        return Message(self.code, self.kind, text.removeprefix("Error: "), whole=whole)


def console_messages(lines: Iterable[str]) -> Iterator[Message]:
    """Yield the messages in ``lines``, each with its line break, in order.

    The last message is not ``whole`` when the lines end within it.
    """
    block: _Block | None = None
    for line in lines:
        start = _START.match(line)
        if start and start.lastindex:
            if block:
                yield block.message(whole=block.ended or block.code != _STATE)
            _, code, kind = _STARTS[start.lastindex - 1]
            block = _Block(code, kind)
        if block and not block.ended:
            block.lines.append(line)
            block.ended = _ends(block, line)
    if block:
        yield block.message(whole=block.ended or (block.kind == ERROR and block.code not in _WITH_STATE))


def _ends(block: _Block, line: str) -> bool:
    """Whether ``block`` ends with ``line``: a state at an empty line, an error at the next message, others at once."""
    if block.code == _STATE or block.code in _WITH_STATE:
        return line == "\n"
    return block.kind != ERROR and line.endswith("\n")
