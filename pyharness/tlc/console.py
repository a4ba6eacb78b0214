"""Read what TLC prints without ``-tool``, as the messages that it would have framed with it.

Without frames a message begins at a line of its own that tells which it is; a state ends at an empty line. What is
between messages (``Print``, the parser, lines that another program wrote) is passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pyharness.tlc.codes import Code
from pyharness.tlc.messages import ERROR, INFO, STATE, WARNING, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_STATE: Final = Code.TLC_STATE_PRINT2
_WITH_STATE: Final = frozenset({Code.TLC_INVARIANT_VIOLATED_INITIAL, Code.TLC_PROPERTY_VIOLATED_INITIAL})

_STARTS: Final = (
    (r"State \d+: Stuttering", Code.TLC_STATE_PRINT3, STATE),
    (r"State \d+: <", _STATE, STATE),
    (r"Back to state \d+", Code.TLC_BACK_TO_STATE, STATE),
    (r"Error: Invariant .* is violated by the initial state", Code.TLC_INVARIANT_VIOLATED_INITIAL, ERROR),
    (r"Error: Property .* is violated by the initial state", Code.TLC_PROPERTY_VIOLATED_INITIAL, ERROR),
    (r"Error: Invariant .* is violated\.", Code.TLC_INVARIANT_VIOLATED_BEHAVIOR, ERROR),
    (r"Error: Action property .* is violated\.", Code.TLC_ACTION_PROPERTY_VIOLATED_BEHAVIOR, ERROR),
    (r"Error: Temporal propert(?:y|ies) .*w(?:as|ere) violated", Code.TLC_TEMPORAL_PROPERTY_VIOLATED, ERROR),
    (r"Error: Deadlock reached\.", Code.TLC_DEADLOCK_REACHED, ERROR),
    (r"Error: The first argument of Assert evaluated to FALSE", Code.TLC_VALUE_ASSERT_FAILED, ERROR),
    (r"Error: Assumption .* is false", Code.TLC_ASSUMPTION_FALSE, ERROR),
    (r"Error: The behavior up to this point is:", Code.TLC_BEHAVIOR_UP_TO_THIS_POINT, ERROR),
    (r"Error: The following behavior constitutes a counter-example:", Code.TLC_COUNTER_EXAMPLE, ERROR),
    (r"Error: Evaluating invariant ", Code.TLC_INVARIANT_EVALUATION_FAILED, ERROR),
    (r"Error: ", Code.GENERAL, ERROR),
    (r"Warning: ", Code.GENERAL, WARNING),
    (r"TLC2 Version ", Code.TLC_VERSION, INFO),
    (r"Running breadth-first search ", Code.TLC_MODE_MC, INFO),
    (r"Running depth-first search ", Code.TLC_MODE_MC_DFS, INFO),
    (r"Running Random Simulation ", Code.TLC_MODE_SIMU, INFO),
    (r"Progress[(:]", Code.TLC_PROGRESS_STATS, INFO),
    (r"Model checking completed\. No error has been found", Code.TLC_SUCCESS, INFO),
    (r"Finished checking temporal properties in ", Code.TLC_CHECKING_TEMPORAL_PROPS_END, INFO),
    (r"[\d,]+ states generated, .* left on queue", Code.TLC_STATS, INFO),
    (r"The number of states generated: ", Code.TLC_STATS_SIMU, INFO),
    (r"Finished in ", Code.TLC_FINISHED, INFO),
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
