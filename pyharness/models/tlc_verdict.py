"""The verdict of one run of TLC; a check of a module adds its doubts (:mod:`pyharness.models.spec_check`).

A *pass* is a success with exit status 0 that ended by itself. A false ASSUME is an error of the spec or its constants,
not a violation: it is not about behaviours. If TLC runs out of memory or stack, it has seen part of a model, which is
incomplete; if TLC is misused or broken, that is an error of the tool.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import IncompleteError, SpecError, ToolError
from pyharness.models.theorems import ASSUMED
from pyharness.models.verdicts import Verdict
from pyharness.tla.tlc import Outcome
from pyharness.tla.tlc.spec_problems import spec_problems

if TYPE_CHECKING:
    from pyharness.tla.tlc import Result

_OF_A_PLACE: Final = re.compile(r"Action property line \d+, .* of module \w+ is violated\.")
"""TLC gives a property of steps by its place in a module, and not by its name."""

_ENDLESS: Final = (
    "Java's stack is full: does every RECURSIVE operator, and function of itself, come to an end? Or is an expression "
    "nested more than a thousand deep?"
)
"""The message for a stack overflow, for which TLC prints a thousand lines about itself."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a run of TLC for the model that it checked.

    ``cause`` names why it is not a pass (the violated property, if TLC reported it), and ``detail`` is TLC's message;
    both are empty for a pass. ``complete`` is true for a run that ended by itself, so that nothing is left to find.
    """

    verdict: Verdict
    cause: str = ""
    detail: str = ""
    complete: bool = False

    @property
    def reason(self) -> str:
        """The cause, with the first line of the detail, or the place of an error in a spec and its message."""
        if self.verdict is Verdict.SPEC_ERROR:
            problem = spec_problems(self.detail)[0]
            place = f"{problem.module}.tla:{problem.line}:{problem.column}: " if problem.line else ""
            return f"{self.cause}: {place}{' '.join(problem.message.split())}"
        first = self.detail.strip().split("\n", 1)[0]
        if self.cause != Outcome.ACTION_PROPERTY.value and _OF_A_PLACE.fullmatch(first):
            return f"{self.cause} is violated by a step"
        return f"{self.cause}: {first}" if first else self.cause


def meaning(result: Result, violated: str | None = None, detail: str | None = None) -> Meaning:
    """Return the meaning of a run of TLC with this result.

    ``violated`` and ``detail``, if given, replace the property and the error text that TLC printed.
    """
    outcome, exit_status, finished = result.outcome, result.exit_status, result.finished
    violated = violated or result.violated
    detail = result.error_text if detail is None else detail
    missing = "; ".join(result.missing)
    if outcome is Outcome.ASSUMPTION:
        question = "does the spec take these topologies and constants?"
        return Meaning(Verdict.SPEC_ERROR, outcome.value, f"{detail}\n{question}")
    if outcome is Outcome.ASSERTION:
        detail = detail.replace(":\n", ": ", 1)  # some callers show the first line only
    if outcome is Outcome.STACK_OVERFLOW:
        detail = _ENDLESS
    if outcome.is_violation and (violated or "").startswith(ASSUMED):
        detail = f"a theorem whose property is checked assumes it, and it does not hold: {detail}"
    if outcome.is_violation:
        return Meaning(Verdict.VIOLATION, violated or outcome.value, detail, complete=finished)
    if outcome.is_spec_error:
        return Meaning(Verdict.SPEC_ERROR, outcome.value, detail)
    if outcome is Outcome.TOOL_ERROR:
        return Meaning(Verdict.ERROR, outcome.value, detail)
    if outcome.is_tool_failure:
        return Meaning(Verdict.INCOMPLETE, outcome.value, detail)
    if outcome is Outcome.INCOMPLETE:
        return Meaning(Verdict.INCOMPLETE, "TLC did not finish", missing or detail)
    if exit_status != 0:
        return Meaning(
            Verdict.INCOMPLETE, f"TLC reports success, but its exit status is {exit_status}", detail
        )
    if not finished:
        return Meaning(Verdict.INCOMPLETE, "TLC reports success, but its output is not complete", missing)
    return Meaning(Verdict.PASS, complete=True)


def require_success(result: Result, where: str, hint: str = "give it more time") -> None:
    """Raise unless a run of TLC is a pass, for callers that need its complete state space.

    Raises SpecError when the spec or the configuration is at fault, ToolError when TLC is, IncompleteError, with the
    ``hint``, when it stopped at a violation or did not finish; ``where`` names the run in the error.
    """
    found = meaning(result)
    message = f"{found.cause}: {found.detail.strip()}" if found.detail.strip() else found.cause
    if found.verdict is Verdict.PASS:
        return
    if found.verdict is Verdict.SPEC_ERROR:
        raise SpecError(message, where=where)
    if found.verdict is Verdict.ERROR:
        raise ToolError(message, where=where)
    raise IncompleteError(message, where=where, hint=hint)
