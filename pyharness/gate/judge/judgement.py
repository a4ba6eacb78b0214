"""From evidence to a verdict: pure, and never a guess. What is missing makes a verdict incomplete, not a pass."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pyharness.gate.judge.cover import is_asked
from pyharness.gate.plans.plan_modules import ModuleModel
from pyharness.machines.systems import has_twin, implementation_of, known_properties
from pyharness.models.bounds import Pins
from pyharness.models.table_rows import CORRECT
from pyharness.models.verdicts import Verdict, worst
from pyharness.tla.tlc import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.gate.judge.claim_coverage import ClaimRow
    from pyharness.gate.judge.kill_matrix import KillMatrix
    from pyharness.gate.judge.plan_report import Evidence, ModuleReport, PlanReport
    from pyharness.gate.plans.plan import Plan
    from pyharness.gate.plans.plan_modules import AnyModel
    from pyharness.models.model import Model
    from pyharness.models.table_rows import ConformanceRow, ReorderingRow, RunRow, TraceRow


def measured_pins(runs: Sequence[RunRow], conformances: Sequence[ConformanceRow] = ()) -> Pins | None:
    """Return the counts of a model's checks that passed and of its comparisons, or ``None`` without such a check.

    The states of several runs are summed, for each has other graphs; the depth is the greatest.
    """
    ended = [run for run in runs if run.kind == "check" and run.verdict is Verdict.PASS]
    if all(run.distinct is None for run in ended):
        return None
    compared = [row.transitions for row in conformances if row.error is None and row.transitions is not None]
    return Pins(
        sum(run.distinct or 0 for run in ended),
        max((run.depth for run in ended if run.depth is not None), default=None),
        sum(compared) if compared else None,
        "".join(run.asks for run in ended) or None,
    )


class Finding(NamedTuple):
    """A reason why a model or a plan does not pass: the verdict that it alone would lead to, and the reason in words.

    ``about`` is the property that is violated, or that catches nothing, where the finding is about one.
    """

    verdict: Verdict
    reason: str
    about: str | None = None


@dataclass
class _Case:
    """Findings on the way to a verdict."""

    findings: list[Finding] = field(default_factory=list)

    def add(self, verdict: Verdict, reason: str, about: str | None = None) -> None:
        self.findings.append(Finding(verdict, reason, about))

    @property
    def judged(self) -> tuple[Verdict, tuple[str, ...]]:
        """The worst verdict, and the reasons why it is not a pass."""
        verdicts = [finding.verdict for finding in self.findings]
        return worst([Verdict.PASS, *verdicts]), tuple(finding.reason for finding in self.findings)

    def need(self, ok: object, reason: str) -> None:
        if not ok:
            self.add(Verdict.INCOMPLETE, reason)


def judge(model: AnyModel, evidence: Evidence) -> tuple[Verdict, tuple[str, ...]]:
    """Judge a model by its evidence: return the verdict, and the reasons why it is not a pass."""
    return _Case(findings(model, evidence)).judged


def findings(model: AnyModel, evidence: Evidence) -> list[Finding]:
    """Return everything that keeps a model from a pass.

    Of a module without graphs the check itself asks whether all was evaluated, taken and reached.
    """
    case = _Case()
    for failure in evidence.failures:
        case.add(Verdict.ERROR, failure)
    checks = [run for run in evidence.runs if run.kind == "check"]
    case.need(checks, "no run of TLC")
    _runs_ended(case, model, evidence.runs)
    if isinstance(model, ModuleModel):
        if model.expect == "pass":
            _counted(case, model, evidence, checks)
        else:
            _caught(case, model, evidence, checks)
        return case.findings
    judged = {row.topology for row in evidence.topologies}
    case.need(
        judged == {topology.id for topology in model.topologies},
        f"{len(judged)} of {len(model.topologies)} topologies have a verdict",
    )
    if model.expect == "pass":
        _passing(case, model, evidence, checks)
    else:
        _violating(case, model, evidence, checks)
    _simulation(case, model, evidence)
    _reordering(case, model, evidence)
    _conformance(case, model, evidence)
    return case.findings


def judge_plan(
    plan: Plan,
    matrix: KillMatrix,
    claims: Sequence[ClaimRow],
    reorderings: Sequence[ReorderingRow] = (),
    lacking: Sequence[str] = (),
) -> tuple[Verdict, tuple[str, ...]]:
    """Judge a plan beyond its single models: every claim is checked, every mutant caught, and every property catches one.

    Every property that catches one must hold in some model too. ``lacking`` names the minimums that the run is below
    (:mod:`pyharness.gate.judge.plan_minimums`), and what is not as it is pinned
    (:mod:`pyharness.gate.judge.pinned`). Of the reorderings some must have had a pair to swap, and some a pair
    that refuses to. A plan without mutants is not asked for mutants, one without traces not for reorderings, and a
    part of a plan for nothing; a cover for what it is chosen for.
    """
    case = _Case()
    if plan.complete and reorderings:
        case.need(any(row.swaps for row in reorderings), "no reordering had anything to swap")
        case.need(any(row.stuck for row in reorderings), "no reordering had a pair that does not swap")
    for row in claims if plan.complete else ():
        for what in row.unchecked:
            case.add(Verdict.INCOMPLETE, f"claim {row.claim.id} is not checked: {what}")
    for reason in lacking:
        case.add(Verdict.INCOMPLETE, reason)
    if plan.full and matrix.mutants:
        for name in matrix.survivors:
            case.add(Verdict.VIOLATION, f"{name} survives: no property catches it")
        for name in (each for each in matrix.idle_properties if is_asked(plan, each, "catches")):
            case.add(
                Verdict.INCOMPLETE, f"{name} catches no mutant, so nothing shows that it checks anything"
            )
        for name in (each for each in matrix.unheld_properties if is_asked(plan, each, "holds")):
            case.add(
                Verdict.INCOMPLETE,
                f"{name} catches mutants, and no model that is to pass checks that it holds",
            )
    return case.judged


def _runs_ended(case: _Case, model: AnyModel, runs: Sequence[RunRow]) -> None:
    for run in runs:
        false = run.outcome is Outcome.ASSERTION and run.outcome.value not in model.caught_by
        if run.verdict is not Verdict.VIOLATION:
            if run.verdict is not Verdict.PASS:
                case.add(run.verdict, run.reason)
        elif model.expect == "pass" or run.kind == "simulate" or false:
            where = "" if run.kind == "check" else " in simulation"
            case.add(Verdict.VIOLATION, f"{run.reason}{where}", run.violated)


def _counted(case: _Case, model: AnyModel, evidence: Evidence, checks: Sequence[RunRow]) -> list[RunRow]:
    """Compare the counts of the checks that passed with the pins, if all did, and return those checks."""
    ended = [run for run in checks if run.verdict is Verdict.PASS]
    measured = measured_pins(ended, evidence.conformances)
    if measured is None:
        of_no_state = isinstance(model, ModuleModel) and ended and model.pins is None
        case.need(case.findings or of_no_state, "TLC counts no states")
        return []
    if model.pins is None:
        case.add(Verdict.INCOMPLETE, f"no pins; measured: pins = {measured.toml}")
    elif len(ended) == len(checks):
        _pins(case, model.pins, measured, [name for run in ended if run.asks for name in run.evaluated])
    return ended


def _passing(case: _Case, model: Model, evidence: Evidence, checks: Sequence[RunRow]) -> None:
    ended = _counted(case, model, evidence, checks)
    if not ended:
        return
    evaluated = set.intersection(*(set(run.evaluated) for run in ended))
    unchecked = [name for name in model.invariants if name not in evaluated]
    case.need(not unchecked, f"TLC did not evaluate {', '.join(unchecked)}")
    unasked = [name for name in model.properties if name not in evaluated]
    case.need(not unasked, f"TLC was not asked to check {', '.join(unasked)}")
    _coverage(case, model, evidence, ended)
    _witnesses(case, model, evidence)


def _pins(case: _Case, pinned: Pins, measured: Pins, checked: Sequence[str] = ()) -> None:
    """Require that every measured count is pinned at its measured value, and every pinned one was measured."""
    for words, have, want in (
        (
            f"something else is asked than is pinned: {', '.join(checked)}, as {{}} and not {{}}",
            measured.asks,
            pinned.asks,
        ),
        ("{} distinct states, pinned are {}", measured.distinct, pinned.distinct),
        ("the depth is {}, pinned is {}", measured.depth, pinned.depth),
        ("{} transitions, pinned are {}", measured.transitions, pinned.transitions),
    ):
        if want is None and have is not None:
            case.add(Verdict.INCOMPLETE, f"not all counts are pinned; measured: pins = {measured.toml}")
            return
        if have != want:
            case.add(Verdict.INCOMPLETE, words.format("not known" if have is None else have, want))


def _witnesses(case: _Case, model: Model, evidence: Evidence) -> None:
    hint = (
        "" if evidence.witnesses_asked else ": name in `reached` a state predicate that must hold somewhere"
    )
    case.need(evidence.witnesses, f"nothing shows that the check is not vacuous{hint}")
    decided = {row.witness for row in evidence.witnesses}
    undecided = [name for name in evidence.witnesses_asked if name not in decided]
    case.need(not undecided, f"nothing shows whether these are reached: {', '.join(undecided)}")
    for row in evidence.witnesses:
        name, reached = row.witness, row.reached
        if name in model.unreached:
            case.need(not reached, f"{name} is reached, and should not be: {row.formula}")
        else:
            case.need(reached, f"vacuous: {name} is never reached: {row.formula}")


def _coverage(case: _Case, model: Model, evidence: Evidence, runs: Sequence[RunRow]) -> None:
    """Require that each action is taken, or is silent: of a graph that is compared, in a step that TLC follows."""
    fired: Counter[str] = Counter()
    compared = [row for row in evidence.conformances if row.error is None]
    for row in compared:
        fired.update(row.actions)
    for run in () if compared else runs:
        rows = [row for row in evidence.actions if row.run == run.run]
        if not rows:
            case.add(Verdict.INCOMPLETE, "no coverage of actions")
            return
        fired.update({row.action: row.total for row in rows})
    for action in evidence.actions_of_spec:
        count = fired.get(action)
        if action in model.silent:
            case.need(not count, f"{action} was taken, and should not be")
        else:
            case.need(count, f"{action} never taken")


def _violating(case: _Case, model: Model, evidence: Evidence, checks: Sequence[RunRow]) -> None:
    traces = [row for row in evidence.traces if row.kind == "counterexample"]
    found = _caught(case, model, evidence, checks)
    survives = bool(_bug(model)) and not found and _complete(checks)
    case.need(traces, f"{_bug(model)} survives" if survives else "no counterexample with a trace")
    if model.mutant is not None and implementation_of(model.spec) is not None:
        _replayed(case, model, evidence, traces)


def _bug(model: AnyModel) -> str:
    return model.mutant or ", ".join(f"{name} = {other}" for name, other in model.overrides.items())


def _caught(case: _Case, model: AnyModel, evidence: Evidence, checks: Sequence[RunRow]) -> set[str]:
    """Require the violations that the plan expects, and no others, and return the names of the violated properties."""
    of_runs = {run.violated for run in checks if run.verdict is Verdict.VIOLATION}
    of_bug = {row.property for row in evidence.kills}
    of_model = of_bug if model.mutant else of_runs
    if None in of_model:
        case.add(Verdict.INCOMPLETE, "a violated property that TLC does not name")
    found = {name for name in of_model if name}
    counts = [run.distinct or 0 for run in checks]
    states = max(counts, default=0) if model.mutant else sum(counts)  # a bug's runs are on the same graphs
    for name in sorted(set(model.caught_by) - found):
        verdict = Verdict.VIOLATION if _complete(checks) else Verdict.INCOMPLETE
        missed = (
            f"the seeded bug survives {name}" if _bug(model) else f"the plan expects that {name} is violated"
        )
        case.add(verdict, f"{missed}: nothing in {states:,} states violates it", name)
    unexpected = sorted(found - set(model.caught_by))
    case.need(not unexpected, f"also caught by {', '.join(unexpected)}, which the plan does not expect")
    for run in checks:
        if run.verdict is Verdict.VIOLATION:
            case.need(run.complete, f"an incomplete run: {run.reason}")
    return found


def _complete(checks: Sequence[RunRow]) -> bool:
    """Return whether all runs are complete, so that a violation that they did not find does not exist."""
    return bool(checks) and all(run.complete for run in checks)


def _replayed(case: _Case, model: Model, evidence: Evidence, traces: Sequence[TraceRow]) -> None:
    """Require that no counterexample is one of the correct implementation, and each is one of the mutant's twin, if any."""
    protocol = str(implementation_of(model.spec))
    twin = has_twin(protocol, model.mutant)
    own = [row for row in evidence.replays if row.kind == "counterexample"]
    replays = {(row.index, row.implementation): row for row in own}
    for trace in traces:
        name = trace.violated
        mutant, correct = (replays.get((trace.index, which)) for which in (str(model.mutant), CORRECT))
        if correct is None or (twin and mutant is None):
            which = "both implementations" if twin else "the correct implementation"
            case.add(Verdict.INCOMPLETE, f"the trace for {name} was not replayed on {which}")
        elif mutant is not None and not mutant.agreed:
            reason = f"the Python mutant does not follow the trace for {name}: {_parted(mutant.divergence)}"
            case.add(Verdict.NONCONFORMANCE, reason)
        elif mutant is not None and name in known_properties(protocol) and name not in mutant.violated:
            case.add(Verdict.NONCONFORMANCE, f"the Python mutant does not violate {name} on its trace")
        elif correct.agreed and name in correct.violated:
            case.add(
                Verdict.NONCONFORMANCE,
                f"the correct implementation follows the trace for {name} and violates it",
            )
        elif correct.agreed and name not in known_properties(protocol):
            reason = f"the correct implementation follows the trace for {name}, of which Python knows nothing"
            case.add(Verdict.INCOMPLETE, reason)


def _simulation(case: _Case, model: Model, evidence: Evidence) -> None:
    if model.simulate is None:
        return
    replays = [row for row in evidence.replays if row.kind == "simulation" and row.implementation == CORRECT]
    agreed = sum(bool(row.agreed) for row in replays)
    different = len({row.index for row in replays})
    case.need(
        different >= model.simulate.traces,
        f"{different} of {model.simulate.traces} simulated traces were replayed",
    )
    case.need(any(row.steps > 1 for row in replays), "the simulated traces have no steps")
    for row in replays:
        if not row.agreed:
            reason = f"simulated trace {row.index}: {_parted(row.divergence)}"
            case.add(Verdict.NONCONFORMANCE, f"{reason} ({agreed} of {len(replays)} agree)")
            return
        if row.violated:
            case.add(
                Verdict.NONCONFORMANCE,
                f"simulated trace {row.index} violates {', '.join(row.violated)} in Python",
            )
            return


def _conformance(case: _Case, model: Model, evidence: Evidence) -> None:
    """Require that the implementation has the spec's successors in every state, and in as many states as TLC counted."""
    if not model.conform:
        return
    case.need(len(evidence.conformances) == 1, "the implementation was not compared in every state")
    counted = sum(run.distinct or 0 for run in evidence.runs if run.kind == "check")
    for row in evidence.conformances:
        if row.error is not None:
            case.add(Verdict.INCOMPLETE, f"conformance: {_first_line(row.error)}")
        elif row.mismatches:
            case.add(
                Verdict.NONCONFORMANCE,
                f"the implementation differs in {row.mismatches} places, first {row.first}",
            )
        else:
            case.need(row.transitions, "no transitions were compared")
            case.need(row.states == counted, f"{row.states} states were compared, TLC counts {counted}")


def _reordering(case: _Case, model: Model, evidence: Evidence) -> None:
    """Require that every complete trace was sorted by the laws of E9 and E10, and that TLC accepts the result.

    One in which the implementation itself breaks E7, as it may where alignment is skipped, cannot be sorted.
    """
    if model.mutant is not None or implementation_of(model.spec) is None:
        return
    rows = evidence.reorderings
    traces = {(row.kind, row.index) for row in evidence.traces}
    found = traces & {(row.kind, row.index) for row in rows}
    case.need(
        len(found) == len(rows) == len(evidence.traces),
        f"{len(found)} of {len(evidence.traces)} traces were looked at for reordering",
    )
    broken = {
        (row.kind, row.index)
        for row in evidence.replays
        if row.implementation == CORRECT and "SSSReachable" in row.violated
    }
    for row in rows:
        where = f"{row.kind} trace {row.index}"
        if (row.kind, row.index) in broken:
            case.need(not row.agreed, f"{where} was reordered, though it violates SSSReachable")
            continue
        if row.agreed is False:
            case.add(Verdict.NONCONFORMANCE, f"{where} cannot be reordered: {_first_line(row.reason)}")
            return
        if row.accepted is False:
            case.add(
                Verdict.NONCONFORMANCE, f"reordered {where} is not a computation: {_first_line(row.reason)}"
            )
            return
        if row.complete and not (row.agreed and row.accepted):
            case.add(Verdict.INCOMPLETE, f"{where} was not reordered: {_first_line(row.reason)}")
            return
    if model.simulate is not None:
        case.need(any(row.complete for row in rows), "no simulated trace is complete, so none was reordered")


def _first_line(text: str | None) -> str:
    return (text or "").strip().split("\n", 1)[0]


def _parted(divergence: str | None) -> str:
    """Return where an implementation and a trace diverge, with the first difference of their states."""
    lines = [line.strip() for line in (divergence or "").split("\n")]
    differs = next((line for line in lines[1:] if "the trace has" in line), None)
    return f"{lines[0]}; {differs}" if differs else lines[0]


def uncaught(plan: Plan, reports: Sequence[ModuleReport]) -> list[str]:
    """Name the properties of passing modules that no seeded bug violates, if all of a plan ran, and it has such bugs."""
    rows = [(report.model, run) for report in reports for run in report.evidence.runs]
    caught = {
        key for model, run in rows for key in run.evaluated if key.rpartition(".")[2] in model.caught_by
    }
    if not caught or not plan.claims or not plan.complete:
        return []
    return [
        f"{key} of {model.name} catches no bug, so nothing shows that it checks anything"
        for model, run in rows
        for key in (run.evaluated if model.expect == "pass" else ())
        if key not in caught
    ]


@dataclass(frozen=True, slots=True)
class PinRow:
    """The counts of a model that is to pass: those that the plan pins, and those of this run."""

    model: str
    pinned: Pins | None
    measured: Pins | None


def pin_rows(report: PlanReport) -> tuple[PinRow, ...]:
    """Return the pinned and the measured counts of every model that is to pass."""
    measured = (
        PinRow(r.model.name, r.model.pins, measured_pins(r.evidence.runs, r.evidence.conformances))
        for r in report.all
        if r.model.expect == "pass"
    )
    modules = {r.model.name for r in report.modules}  # one of assumptions alone has no states
    return tuple(row for row in measured if row.pinned or row.measured or row.model not in modules)
