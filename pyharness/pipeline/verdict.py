"""From evidence to a verdict: pure, and never a guess. What is missing makes a verdict incomplete, not a pass."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from pyharness.pipeline.replays import CORRECT
from pyharness.tlc import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyharness.pipeline.plan import Model

__all__ = ["Evidence", "Verdict", "judge", "worst"]


class Verdict(Enum):
    """What a model, or a whole plan, came to, from the best to the worst, each with its exit code."""

    PASS = ("pass", 0)
    INCOMPLETE = ("incomplete", 3)
    ERROR = ("error", 4)
    SPEC_ERROR = ("spec error", 2)
    NONCONFORMANCE = ("nonconformance", 1)
    VIOLATION = ("violation", 1)

    def __init__(self, text: str, exit_code: int) -> None:
        self.text = text
        self.exit_code = exit_code


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """Give the worst of some verdicts; none at all is incomplete, for nothing was checked."""
    order = list(Verdict)
    return max(verdicts, key=order.index) if verdicts else Verdict.INCOMPLETE


@dataclass(frozen=True)
class Evidence:
    """The rows of one model, by table (see ``pyharness.pipeline.tables``), and the model's actions."""

    actions_of_spec: Sequence[str]
    runs: Sequence[Mapping[str, Any]] = ()
    topologies: Sequence[Mapping[str, Any]] = ()
    actions: Sequence[Mapping[str, Any]] = ()
    traces: Sequence[Mapping[str, Any]] = ()
    replays: Sequence[Mapping[str, Any]] = ()
    explorations: Sequence[Mapping[str, Any]] = ()
    failures: Sequence[str] = ()


@dataclass
class _Case:
    """Findings on the way to a verdict."""

    findings: list[tuple[Verdict, str]] = field(default_factory=list)

    def add(self, verdict: Verdict, reason: str) -> None:
        self.findings.append((verdict, reason))

    def need(self, ok: object, reason: str) -> None:
        if not ok:
            self.add(Verdict.INCOMPLETE, reason)


def judge(model: Model, evidence: Evidence) -> tuple[Verdict, tuple[str, ...]]:
    """Judge a model by its evidence: the verdict, and the reasons why it is no pass."""
    case = _Case()
    for failure in evidence.failures:
        case.add(Verdict.ERROR, failure)
    checks = [run for run in evidence.runs if run["kind"] == "check"]
    case.need(checks, "no run of TLC")
    _runs_ended(case, model, evidence.runs)
    judged = {row["topology"] for row in evidence.topologies}
    case.need(
        judged == {topology.id for topology in model.topologies},
        f"{len(judged)} of {len(model.topologies)} topologies have a verdict",
    )
    if model.expect == "pass":
        _passing(case, model, evidence, checks)
    else:
        _violating(case, model, evidence, checks)
    _simulation(case, model, evidence)
    _exploration(case, model, evidence)
    return worst([Verdict.PASS, *(verdict for verdict, _ in case.findings)]), tuple(
        r for _, r in case.findings
    )


def _runs_ended(case: _Case, model: Model, runs: Sequence[Mapping[str, Any]]) -> None:
    for run in runs:
        outcome = Outcome[run["outcome"]]
        if outcome.is_spec_error:
            case.add(Verdict.SPEC_ERROR, f"{outcome.value}: {_first_line(run['detail'])}")
        elif outcome.is_tool_failure:
            verdict = Verdict.ERROR if outcome is Outcome.TOOL_ERROR else Verdict.INCOMPLETE
            case.add(verdict, f"{outcome.value}: {_first_line(run['detail'])}")
        elif outcome is Outcome.INCOMPLETE:
            case.add(
                Verdict.INCOMPLETE, f"TLC did not finish: {run['missing'] or _first_line(run['detail'])}"
            )
        elif outcome is Outcome.SUCCESS and run["exit_status"] != 0:
            case.add(Verdict.INCOMPLETE, f"TLC reports success, but its exit status is {run['exit_status']}")
        elif outcome.is_violation and (model.expect == "pass" or run["kind"] == "simulate"):
            where = "" if run["kind"] == "check" else " in simulation"
            case.add(
                Verdict.VIOLATION, f"{run['violated'] or outcome.value}: {_first_line(run['detail'])}{where}"
            )


def _passing(case: _Case, model: Model, evidence: Evidence, checks: Sequence[Mapping[str, Any]]) -> None:
    last = next((run for run in checks if run["outcome"] == Outcome.SUCCESS.name), None)
    if last is None:
        case.need(case.findings, "TLC does not report success")
        return
    if model.pins is None:
        case.add(
            Verdict.INCOMPLETE,
            f"no pins; measured: pins = {{ distinct = {last['distinct']}, generated = {last['generated']} }}",
        )
    elif len(checks) == 1:
        for name, want in (("distinct", model.pins.distinct), ("generated", model.pins.generated)):
            case.need(last[name] == want, f"{last[name]} {name} states, pinned are {want}")
    counts = [row["distinct"] for row in evidence.topologies if row["violated"] is None]
    case.need(all(counts) and counts, "a topology without a count of its states")
    if all(counts) and len(checks) == 1:
        case.need(
            sum(counts) == last["distinct"],
            f"states per topology sum to {sum(counts)}, not {last['distinct']}",
        )
    _coverage(case, model, evidence, last)


def _coverage(case: _Case, model: Model, evidence: Evidence, run: Mapping[str, Any]) -> None:
    fired = {row["action"]: row["total"] for row in evidence.actions if row["run"] == run["run"]}
    if not fired:
        case.add(Verdict.INCOMPLETE, "no coverage of actions")
        return
    for action in evidence.actions_of_spec:
        count = fired.get(action)
        if action in model.silent:
            case.need(not count, f"{action} fired {count} times, and should not")
        else:
            case.need(count, f"{action} never fired")


def _violating(case: _Case, model: Model, evidence: Evidence, checks: Sequence[Mapping[str, Any]]) -> None:
    caught = [run for run in checks if Outcome[run["outcome"]].is_violation]
    if not caught:
        if not case.findings:
            case.add(Verdict.VIOLATION, f"not caught: TLC finds no violation of {model.caught_by}")
        return
    for run in caught:
        if run["violated"] != model.caught_by:
            case.add(
                Verdict.VIOLATION,
                f"caught by {run['violated'] or 'an unnamed property'}, not {model.caught_by}",
            )
    if model.mutant is None:
        return
    first = {
        row["implementation"]: row
        for row in evidence.replays
        if row["kind"] == "counterexample" and row["index"] == 0
    }
    mutant, correct = first.get(model.mutant), first.get(CORRECT)
    if mutant is None or correct is None:
        case.add(Verdict.INCOMPLETE, "the counterexample was not replayed on both implementations")
        return
    if not mutant["agreed"]:
        case.add(
            Verdict.NONCONFORMANCE,
            f"the Python mutant does not follow the trace: {_first_line(mutant['divergence'])}",
        )
    elif model.caught_by not in mutant["violated"]:
        case.add(
            Verdict.NONCONFORMANCE, f"the Python mutant does not violate {model.caught_by} on this trace"
        )
    if correct["agreed"] and model.caught_by in correct["violated"]:
        case.add(
            Verdict.NONCONFORMANCE,
            f"the correct implementation follows the trace and violates {model.caught_by}",
        )


def _simulation(case: _Case, model: Model, evidence: Evidence) -> None:
    if model.simulate is None:
        return
    replays = [
        row for row in evidence.replays if row["kind"] == "simulation" and row["implementation"] == CORRECT
    ]
    agreed = sum(bool(row["agreed"]) for row in replays)
    case.need(
        len(replays) >= model.simulate.traces,
        f"{len(replays)} of {model.simulate.traces} simulated traces were replayed",
    )
    case.need(any(row["steps"] > 1 for row in replays), "the simulated traces have no steps")
    for row in replays:
        if not row["agreed"]:
            reason = f"simulated trace {row['index']}: {_first_line(row['divergence'])}"
            case.add(Verdict.NONCONFORMANCE, f"{reason} ({agreed} of {len(replays)} agree)")
            return
        if row["violated"]:
            case.add(
                Verdict.NONCONFORMANCE,
                f"simulated trace {row['index']} violates {', '.join(row['violated'])} in Python",
            )
            return


def _exploration(case: _Case, model: Model, evidence: Evidence) -> None:
    if not model.explore:
        return
    ours = {row["topology"]: row["distinct"] for row in evidence.explorations}
    for row in evidence.topologies:
        mine = ours.get(row["topology"])
        if mine is None:
            case.add(Verdict.INCOMPLETE, f"{row['topology']} was not explored by the implementation")
        elif row["distinct"] is not None and mine != row["distinct"]:
            case.add(
                Verdict.NONCONFORMANCE,
                f"{row['topology']}: TLC finds {row['distinct']} states, the implementation {mine}",
            )


def _first_line(text: str | None) -> str:
    return (text or "").strip().split("\n", 1)[0]
