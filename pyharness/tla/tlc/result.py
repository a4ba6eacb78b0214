"""The result of one run of TLC."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyharness.tla.tlc.codes import trouble_of_machine
from pyharness.tla.tlc.outcome import EndedBy, Mode, Outcome

if TYPE_CHECKING:
    from pyharness.tla.tlc.coverage import Coverage
    from pyharness.tla.tlc.trace import Trace

_PARSER_NOISE: Final = re.compile(r"(?:Parsing file|Semantic processing of module|Linting of module) .*\n?")


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run: states ``generated``, ``distinct`` ones, those on the ``queue``, ``seconds`` since start.

    In a simulation ``distinct`` and ``queue`` are ``None``.
    """

    generated: int
    distinct: int | None
    queue: int | None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Violation:
    """One violation: ``name`` of the property if TLC gives it, its ``location`` if TLC gives that instead.

    ``text`` is TLC's message. ``trace`` is ``None`` when TLC printed none, or not to its end.
    """

    outcome: Outcome
    name: str | None
    location: str | None
    text: str
    trace: Trace | None


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one run.

    ``outcome`` is that of the first violation, or else the first cause of failure. ``finished`` means that the
    run ended by itself with its output complete; a violation may be found in a run that did not finish. Numbers
    that TLC did not report are ``None``: ``generated`` and ``distinct`` states, those ``left_on_queue``, the
    ``depth`` of the graph, distinct ``initial_states``. ``violations`` are the first of ``violation_count``;
    ``error_trace`` leads to an error that is not a violation; ``missing`` is the evidence of success that the run
    does not give, in words, empty exactly after a success. ``seconds`` is the wall time of the process, or TLC's
    own figure when a recorded output was read. ``errors`` are the texts of all errors, the first one first;
    ``output`` is what stood outside all messages (``Print``, the parser), cut after its beginning.
    """

    outcome: Outcome
    exit_status: int | None
    ended_by: EndedBy = EndedBy.EXIT
    finished: bool = False
    mode: Mode | None = None
    violations: tuple[Violation, ...] = ()
    violation_count: int = 0
    error_trace: Trace | None = None
    errors: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    generated: int | None = None
    distinct: int | None = None
    left_on_queue: int | None = None
    depth: int | None = None
    initial_states: int | None = None
    coverage: Coverage | None = None
    tlc_version: str | None = None
    seed: int | None = None
    fp: int | None = None
    workers: int | None = None
    seconds: float | None = None
    output: str = ""
    stderr: str = ""

    @property
    def trace(self) -> Trace | None:
        """The trace of the first violation, or the one that leads to an evaluation error."""
        return self.violations[0].trace if self.violations else self.error_trace

    @property
    def violated(self) -> str | None:
        """The name of the property that was violated first, where TLC gives it."""
        return self.violations[0].name if self.violations else None

    @property
    def complaint(self) -> str:
        """All that TLC and its parser printed of an error, for :mod:`pyharness.tla.tlc.spec_problems`."""
        parts = [violation.text for violation in self.violations if violation.outcome is Outcome.ASSUMPTION]
        parts += self.errors
        if self.outcome is Outcome.PARSE_ERROR:
            parts += [_PARSER_NOISE.sub("", self.output), self.stderr]
        return "\n".join(part.strip() for part in parts if part.strip())

    @property
    def error_text(self) -> str:
        """The first thing that went wrong, readable; empty after a success."""
        if self.outcome is Outcome.SUCCESS:
            return ""
        if self.violations:
            return self.violations[0].text
        parts = [*filter(None, [trouble_of_machine(self.stderr)]), *self.errors[:1]]
        if self.outcome is Outcome.PARSE_ERROR:
            parts += [_PARSER_NOISE.sub("", self.output), self.stderr]
        elif not parts:
            parts = [f"the run is not complete: {', '.join(self.missing)}", self.stderr]
        return "\n".join(part.strip() for part in parts if part.strip())
