"""Verdicts, from the best to the worst."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Verdict(Enum):
    """The verdict of a model, or of a plan, from the best to the worst, each with its exit code."""

    PASS = ("pass", 0)
    INCOMPLETE = ("incomplete", 3)
    ERROR = ("error", 4)
    SPEC_ERROR = ("spec error", 2)
    NONCONFORMANCE = ("nonconformance", 1)
    VIOLATION = ("violation", 1)

    def __init__(self, text: str, exit_code: int) -> None:
        self.text = text
        self.exit_code = exit_code

    @classmethod
    def of(cls, text: str) -> Verdict:
        """Return the verdict of this ``text``. Raises ValueError if there is none."""
        for verdict in cls:
            if verdict.text == text:
                return verdict
        raise ValueError(f"no verdict {text!r}")


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the worst of some verdicts; incomplete if there are none, for nothing was checked."""
    order = list(Verdict)
    return max(verdicts, key=order.index) if verdicts else Verdict.INCOMPLETE
