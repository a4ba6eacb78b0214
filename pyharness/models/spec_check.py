"""Check any spec with TLC, and collect the evidence: actions taken, invariants evaluated, premises reached.

The model counts these in TLC's registers (:mod:`pyharness.tla.plain_models.counted_relation`), which costs little.
The counts are used if the run is a success and they add up to TLC's own numbers. A model that violates something is
run again as it is, for a trace in the spec's own words.

A model that cannot count is first run with TLC's coverage, for at most :data:`FIRST_SECONDS`. A run that ends within
them is the check itself. A larger model is run again without coverage, or with it if some action was not taken yet.
"""

from __future__ import annotations

import re
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyharness.base.errors import HarnessError, SpecError
from pyharness.base.toolchain.clean_text import clip
from pyharness.models.doubts import doubts_of, limits_of, no_sure_violation, replaced_definitions, subjects_of
from pyharness.models.known_defects import defects_of
from pyharness.models.second_opinion import is_no_violation, second_opinion
from pyharness.models.step_arguments import with_arguments
from pyharness.models.text_run import run_root
from pyharness.models.tlc_verdict import meaning
from pyharness.models.verdicts import Verdict
from pyharness.models.witness import PremisesError, premises_of
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import apart
from pyharness.tla.modules.formula_facts import level_of
from pyharness.tla.modules.module import ACTION, CONSTANT
from pyharness.tla.modules.source_excerpt import spec_error
from pyharness.tla.plain_models.config_file import parse_config
from pyharness.tla.plain_models.counted_relation import counted_relation
from pyharness.tla.plain_models.plain_model import GIVEN, OWN, ROOT
from pyharness.tla.tlc import EndedBy, Outcome
from pyharness.tla.tlc.outcome import NO_DEADLOCK
from pyharness.tla.values import to_tla

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyharness.models.machine_tools import Tools
    from pyharness.models.second_opinion import Opinion
    from pyharness.tla.plain_models.counted_relation import CountedRelation
    from pyharness.tla.plain_models.plain_model import PlainModel
    from pyharness.tla.tlc import Coverage, Progress, Result


STATES: Final = f"{OWN}SoughtStates"
STEPS: Final = f"{OWN}SoughtSteps"
"""The names of the invariant and the property that look for premises: they always hold, and print."""

_LONGEST: Final = 600
_SHORT: Final = 16
"""The number of states of a counterexample above which a shorter one is looked for."""

_FIRST_REGISTER: Final = 7000
_REACHED: Final = re.compile(rf'<<"{OWN}", (\d{{1,18}})>>')
FIRST_SECONDS: Final = 3
"""Seconds for the first run, with coverage; a model that needs more is run again, without it if possible."""

_PLACE: Final = re.compile(r"line (\d{1,18}), .* of module (\w+)")
_APART: Final = "premises are not decided: TLC cannot evaluate one apart from its property"
_COUNTING: Final = "tlc2.tool.coverage."
_UNCOUNTED: Final = (
    "nothing is violated, but TLC fails where it counts what it evaluates, so the evidence is missing: "
    r"where an invariant is nothing but a RECURSIVE operator, TRUE /\ R(n) means the same, and it can"
)
_OF_ROOT: Final = re.compile(rf"{ROOT}:(\d{{1,18}})")
_STALE: Final = re.compile(
    r"^!! WARNING: [^\n]*PlusCal[^\n]* has changed in the specification for (\w+)", re.MULTILINE
)
_TAUTOLOGY: Final = (
    "TLC takes the temporal properties for a tautology, which nothing could violate: a quantifier in them may range "
    "over nothing, or the spec is fair to more than 31 things, which TLC does not count right (tlaplus 742)"
)
_NO_BEHAVIOUR: Final = (
    "no behaviour is as fair as the spec demands, so that each temporal property holds: is what it is fair to "
    "a step that Next allows?"
)
_NOT_DECIDED: Final = "whether any behaviour is as fair as the spec demands was not decided"
_FOUND: Final = 'TLC stopped before its end: does the spec have TLCSet("exit", TRUE)?'


@dataclass(frozen=True, slots=True)
class Premise:
    """A premise of the property ``of``, the ``number``-th from 1, as a ``formula`` of states, or of steps if ``step``.

    ``sought`` is the same formula with bound names that no module of the user declares.
    """

    of: str
    number: int
    formula: str
    sought: str
    step: bool

    @property
    def name(self) -> str:
        """Its name: ``Property.1``, or the name of a formula that is sought by itself and has no number."""
        return f"{self.of}.{self.number}" if self.number else self.of


def premises_of_model(model: PlainModel) -> tuple[Premise, ...]:
    """Return the premises of all properties of a model, except those that are not written in its module.

    After them come the formulas that the model seeks by themselves.

    Raises PremisesError if a property has too many.
    """
    found = []
    for name in model.checked:
        try:
            formulas = premises_of(model.library, model.module, name)
        except PremisesError:
            raise
        except HarnessError:  # it is a name of an instance, or what no premise can be read of
            continue
        for number, formula in enumerate(formulas, start=1):
            step = level_of(model.library, model.module, formula) >= ACTION
            found.append(
                Premise(name, number, on_one_line(formula), on_one_line(apart(formula, {}, OWN)), step)
            )
    beside = (Premise(name, 0, formula, formula, step=False) for name, formula in model.sought.items())
    return (*found, *beside)


def lines_of(premises: Sequence[Premise], variables: Sequence[str], seconds: float | None) -> list[str]:
    """Return the lines of the root module that look for premises, and end the run after ``seconds``, unless ``None``.

    A premise that was found is not looked for again.
    """
    lines = [f"ASSUME {OWN}Zero({_FIRST_REGISTER + number})" for number in range(len(premises))]
    sought = [f"  /\\ {OWN}Sought({_FIRST_REGISTER + n}, {each.sought})" for n, each in enumerate(premises)]
    states = [line for line, each in zip(sought, premises, strict=True) if not each.step]
    steps = [line for line, each in zip(sought, premises, strict=True) if each.step]
    if seconds is not None:
        states.append(f"  /\\ {OWN}Within({int(seconds)}, {variables[0]})")
    lines += [f"{STATES} ==", "  /\\ TRUE", *states] if states else []
    lines += [f"{STEPS} == [][", "  /\\ TRUE", *steps, f"  ]_<<{', '.join(variables)}>>"] if steps else []
    return lines


def reached(output: str) -> frozenset[int]:
    """Return the indices of the premises that a run reached, by its output."""
    return frozenset(
        int(match[1]) - _FIRST_REGISTER for match in map(_REACHED.fullmatch, output.splitlines()) if match
    )


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a check: ``seconds``, MiB of Java's heap and ``cpu_seconds``; ``workers`` are TLC's threads.

    No run of a model that is known to be ``small`` is long enough for Java's optimising compiler to pay.
    """

    seconds: float
    heap_mib: int
    workers: int = 1
    cpu_seconds: int | None = None
    small: bool = False


@dataclass(frozen=True, slots=True)
class TakenAction:
    """An action, its ``place`` (``Module.tla:line``), and the number of times it was ``taken``."""

    name: str
    place: str
    taken: int


@dataclass(frozen=True)
class CheckedSpec:
    """The result of checking a model: the ``verdict``, the ``reason`` if it is not a pass, what is ``violated`` if known.

    ``result`` is that of the run that decided. ``actions`` are counted in all its states, or in a part if ``partial``.
    ``evaluated`` are the invariants, ``asked`` the other properties that TLC checked; ``premises`` are paired with
    whether each was reached, or ``None`` where that was not decided. ``notes`` are what a reader must know besides;
    ``replaced`` are the definitions that the configuration replaces. ``opinion`` is this tool's own evaluation, if any.
    """

    verdict: Verdict
    reason: str
    violated: str | None
    result: Result
    actions: tuple[TakenAction, ...] = ()
    partial: bool = False
    evaluated: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    premises: tuple[tuple[Premise, bool | None], ...] = ()
    notes: tuple[str, ...] = ()
    coverage: Coverage | None = None
    replaced: tuple[str, ...] = ()
    opinion: Opinion | None = None

    @property
    def never_taken(self) -> tuple[TakenAction, ...]:
        """The actions that were never taken; empty where not all states were seen."""
        return tuple(each for each in self.actions if not each.taken) if self._complete else ()

    @property
    def unreached(self) -> tuple[Premise, ...]:
        """The premises that no state, or step, satisfies; empty where not all states were seen."""
        return tuple(p for p, found in self.premises if found is False) if self._complete else ()

    @property
    def _complete(self) -> bool:
        return self.result.outcome is Outcome.SUCCESS

    def strictly(self, *, premises: bool = True) -> CheckedSpec:
        """Return a pass as incomplete if an action was never taken, or, with ``premises``, the evidence has a gap.

        A gap is a premise that was never reached, or a definition that is replaced. Other results are returned as they are.
        """
        gaps = [each.name for each in self.never_taken]
        gaps += [f"a premise of {each.of}" for each in self.unreached if premises]
        reasons = [f"never taken or reached: {', '.join(gaps)}"] if gaps else []
        replaced = self.replaced if premises else ()
        reasons += [f"other definitions stand in: {', '.join(replaced)}"] if replaced else []
        if self.verdict is not Verdict.PASS or not reasons:
            return self
        return replace(self, verdict=Verdict.INCOMPLETE, reason="; ".join(reasons))


class _Evidence(NamedTuple):
    """The counts of the ``actions``, in a part of the states if ``partial``, and the invariants that were ``evaluated``.

    ``coverage`` is TLC's, where that counted. ``evaluated`` is ``None`` if that is not known.
    """

    actions: tuple[TakenAction, ...] = ()
    partial: bool = False
    evaluated: tuple[str, ...] | None = None
    coverage: Coverage | None = None


def check_plain(
    model: PlainModel,
    tools: Tools,
    bounds: Bounds,
    progress: Callable[[Progress], None] | None = None,
    *,
    expressions: bool = False,
    again: bool = False,
    dump: Path | None = None,
) -> CheckedSpec:
    """Check a model with TLC, within bounds; with ``expressions`` TLC counts how often it evaluates each, if it can.

    If the model counts by itself, and each action has a name, the state graph is written to the file ``dump``.

    With ``again`` the invariants of a small model in which TLC finds no violation are evaluated once more, by this tool.

    Raises SpecError for a module that cannot be read, ToolError when Java or TLC cannot be run.
    """
    check = _Check(model, tools, bounds, progress)
    checked = (None if expressions else check.counted(dump)) or check.covered()
    if not again or checked.result.outcome is not Outcome.SUCCESS:
        return checked
    heap, seconds = bounds.heap_mib, bounds.cpu_seconds
    opinion = second_opinion(model, tools, checked.result.distinct, heap_mib=heap, cpu_seconds=seconds)
    checked = replace(checked, opinion=opinion)
    if opinion is None or not opinion.differing:
        return checked
    name, place = next(iter(opinion.differing.items()))
    shown = clip(
        " and then ".join(", ".join(f"{k} = {to_tla(v)}" for k, v in each.items()) for each in place),
        _LONGEST,
    )
    reason = f"TLC and this tool do not evaluate {name} alike: it is true for TLC, and false for this tool, in {shown}"
    return replace(
        checked, verdict=Verdict.INCOMPLETE, reason="; ".join(filter(None, (reason, checked.reason)))
    )


class _Check:
    def __init__(
        self, model: PlainModel, tools: Tools, bounds: Bounds, progress: Callable[[Progress], None] | None
    ) -> None:
        self._model = model
        self._tools = tools
        self._bounds = bounds
        self._progress = progress
        self._until = time.monotonic() + bounds.seconds
        self._undecided = ""
        try:
            self._premises = premises_of_model(model) if model.variables and model.config.behaviours else ()
        except PremisesError as error:
            self._premises, self._undecided = (), error.message
        self._reached: set[int] = set()
        self._uncounted = self._fails = False
        self._unasked: list[str] = []
        self._last: Progress | None = None

    def counted(self, dump: Path | None = None) -> CheckedSpec | None:
        """Run TLC on the model that counts by itself; return ``None`` if it cannot, or if its counts decide nothing.

        The graph of a run that decides, and passes, is left in ``dump``.

        Registers are those of one worker of TLC. After a violation, or counts that do not add up, the time starts
        again, so that the next run can find the same.
        """
        model = self._model
        if not model.variables or not model.config.behaviours or self._bounds.workers > 1:
            return None
        relation = counted_relation(model)
        if relation is None:
            return None
        own = dump if relation.named else None
        sought = range(len(self._premises))
        result = self._run(sought, coverage=False, seconds=None, counted=relation, dump=own)
        evidence = _counts(model, relation, result)
        if result.outcome.is_violation or result.outcome is Outcome.SUCCESS:
            self._fails, self._until = result.outcome.is_violation, time.monotonic() + self._bounds.seconds
        cut = result.ended_by is not EndedBy.EXIT or result.outcome is Outcome.OUT_OF_MEMORY
        complete = result.outcome is Outcome.SUCCESS and not evidence.partial
        decided = self._judged(result, evidence) if complete or (cut and not self._fails) else None
        if dump and (decided is None or decided.verdict is not Verdict.PASS):
            dump.unlink(missing_ok=True)
        return decided

    def covered(self) -> CheckedSpec:
        """Run TLC with its coverage, which counts the evidence, again without it where that fails or takes too long."""
        self._reached.clear()
        sought = list(range(len(self._premises)))
        first = self._run(sought, coverage=True, seconds=FIRST_SECONDS)
        if first.outcome.is_spec_error and sought:
            # perhaps of a premise, which the property never evaluates there, or which cannot be written in the root
            self._undecided, sought = _APART, []
            first = self._run(sought, coverage=True, seconds=FIRST_SECONDS)
        if not first.violations and any(_COUNTING in error for error in first.errors):
            self._uncounted = True  # TLC without coverage can report what is violated
            first = self._run(sought, coverage=False, seconds=FIRST_SECONDS)
        result, counted = first, first
        if self._has_stopped(first):
            lacking = [number for number in sought if number not in self._reached]
            idle = any(not each.taken for each in _actions(first.coverage)) if first.coverage else True
            coverage = idle and not (self._uncounted or self._fails)
            result = self._run(lacking, coverage=coverage, seconds=None)
            counted = result if result.coverage is not None else first
        evidence = _Evidence(partial=counted is not result)
        if (found := counted.coverage) is not None:
            # TLC counts the steps of a counterexample once more as it makes the trace: such numbers are not shown.
            total = sum(count.total for count in found.actions.values())
            shown = not result.outcome.is_violation or total == result.generated
            actions = _actions(found) if shown else ()
            evidence = _Evidence(actions, evidence.partial, tuple(found.properties), found)
        return self._judged(result, evidence)

    def _has_stopped(self, result: Result) -> bool:
        """Return whether a run ended because its first seconds were over, with states left on the queue."""
        return (
            result.outcome is Outcome.INCOMPLETE
            and bool(result.left_on_queue)
            and result.finished
            and self._model.config.behaviours
        )

    def _run(
        self,
        sought: Sequence[int],
        *,
        coverage: bool,
        seconds: float | None,
        counted: CountedRelation | None = None,
        dump: Path | None = None,
    ) -> Result:
        model, self._last = self._model, None
        own = counted.config if counted else model.config
        premises = [self._premises[number] for number in sought]
        bounded = seconds if model.variables and model.config.behaviours else None
        lines = lines_of(premises, model.variables, bounded) if premises or bounded else []
        invariants = [STATES] if any(line.startswith(STATES) for line in lines) else []
        properties = [STEPS] if any(line.startswith(STEPS) for line in lines) else []
        config = replace(
            own, invariants=(*own.invariants, *invariants), properties=(*own.properties, *properties)
        )
        lines += counted.lines if counted else ()
        texts = (model.root(*lines), config.text())
        asked = parse_config(texts[1], ROOT).properties
        self._unasked = [name for name in model.config.properties if name not in asked]
        with tempfile.TemporaryDirectory(prefix="pyharness-any-") as directory:
            result = run_root(
                model,
                self._tools,
                Path(directory),
                texts,
                on_progress=self._follow,
                workers=self._bounds.workers,
                heap_mib=self._bounds.heap_mib,
                cpu_seconds=self._bounds.cpu_seconds,
                timeout=max(self._until - time.monotonic(), 0.1),
                check_deadlock=config.check_deadlock,
                coverage=coverage,
                dump=dump,
                quick_jvm=seconds is not None or self._bounds.small,
            )
        self._reached |= {sought[number] for number in reached(result.output)}
        return result

    def _follow(self, progress: Progress) -> None:
        self._last = progress
        if self._progress:
            self._progress(progress)

    def _judged(self, result: Result, evidence: _Evidence) -> CheckedSpec:
        verdict, reason = self._verdict(result, evidence.evaluated)
        if verdict is Verdict.PASS and (why := self._lacks_behaviours()):
            verdict, reason = Verdict.INCOMPLETE, why
        violated = self._violated(result) if verdict is Verdict.VIOLATION else None
        if violated and (why := no_sure_violation(self._model, violated)):
            verdict, reason, violated = Verdict.INCOMPLETE, why, None
        if violated and is_no_violation(self._model, violated, result.trace):
            why = f"TLC reports that {violated} is violated, and this tool finds it true in that state"
            verdict, reason, violated = Verdict.INCOMPLETE, why, None
        if violated:
            result = self._shortened(result, violated)
        if verdict is Verdict.VIOLATION and result.violations and result.trace and not self._model.title:
            first = replace(
                result.violations[0], trace=with_arguments(result.trace, self._model, self._tools)
            )
            result = replace(result, violations=(first, *result.violations[1:]))
        return CheckedSpec(
            verdict=verdict,
            reason=reason,
            violated=violated,
            result=result,
            actions=tuple(a for a in evidence.actions if a.taken or a.name not in self._model.silent),
            partial=evidence.partial,
            evaluated=tuple(n for n in self._model.config.invariants if n in (evidence.evaluated or ())),
            asked=tuple(name for name in self._model.config.properties if name not in self._unasked),
            premises=tuple(
                (premise, True if number in self._reached else None if self._undecided else False)
                for number, premise in enumerate(self._premises)
            ),
            notes=tuple(self._notes(result)),
            coverage=evidence.coverage,
            replaced=replaced_definitions(self._model),
        )

    def _verdict(self, result: Result, evaluated: tuple[str, ...] | None) -> tuple[Verdict, str]:
        model, found = self._model, meaning(result)
        if result.outcome is Outcome.ASSUMPTION:
            verdict = Verdict.SPEC_ERROR if model.config.behaviours else Verdict.VIOLATION
            return verdict, str(spec_error(result.complaint, model.library, spec=model.module))
        if "Temporal formula is a tautology" in result.complaint and not model.title:
            return Verdict.INCOMPLETE, _TAUTOLOGY
        if found.verdict is Verdict.SPEC_ERROR:
            where = model.config.where if result.outcome is Outcome.CONFIG_ERROR else model.name
            complaint = spec_error(result.complaint, model.library, spec=model.module, where=where)
            if complaint.where and (given := self._given_at(complaint.where)):
                complaint = SpecError(complaint.message, where=given, hint=complaint.hint)
            return found.verdict, str(complaint)
        if found.verdict is Verdict.INCOMPLETE and result.ended_by is EndedBy.TIMEOUT:
            return found.verdict, self._late()
        if found.verdict is not Verdict.PASS:
            return found.verdict, _FOUND if self._has_stopped(result) else found.detail or found.cause
        if not model.config.behaviours:
            assumed = any(
                each.kind == "assumption"
                for own in model.library.closure(model.module, instances=True)
                for each in own.statements
            )
            if not assumed:
                return Verdict.INCOMPLETE, "there is neither a behaviour nor an assumption"
            return self._unless_doubted(result)
        if not result.distinct:
            return Verdict.INCOMPLETE, "there is no initial state, so nothing was checked"
        if not model.checked and not model.config.check_deadlock:
            return Verdict.INCOMPLETE, "there is no invariant and no property, and no deadlock is looked for"
        lacking = [n for n in model.config.invariants if evaluated is not None and n not in evaluated]
        if self._uncounted:
            return Verdict.INCOMPLETE, _UNCOUNTED
        if constant := [name for name in lacking if self._is_constant(name)]:
            return (
                Verdict.INCOMPLETE,
                f"{', '.join(constant)}: no variable is in it, so it is vacuous",
            )
        if evaluated is None or lacking:
            return Verdict.INCOMPLETE, f"TLC did not report evaluating {', '.join(lacking) or 'anything'}"
        if empty := self._empty():
            return (
                Verdict.INCOMPLETE,
                f"{', '.join(empty)}: no premise is ever reached, so nothing was checked",
            )
        return self._unless_doubted(result)

    def _unless_doubted(self, result: Result) -> tuple[Verdict, str]:
        """Return a pass, or incomplete and the reason; the doubts about a plan's models were raised when it was read."""
        model = self._model
        doubts = [f"TLC was not asked to check {', '.join(self._unasked)}"] if self._unasked else []
        replaced, subjects = subjects_of(model)
        meant = (replaced.get(name, name) for name in model.config.properties)
        if self._bounds.workers > 1 and any(map(subjects.has_liveness, meant)):
            doubts.append("with several workers TLC may miss a violated temporal property (tlaplus 971)")
        doubts += [] if model.title else doubts_of(model)
        doubts += defects_of(model.library, model.module, result.tlc_version)
        return (Verdict.INCOMPLETE, doubts[0]) if doubts else (Verdict.PASS, "")

    def _given_at(self, where: str) -> str:
        """Return the constant that is given on a line of the root, ``Root:LINE``; an empty text if there is none."""
        place = _OF_ROOT.match(where)
        lines = self._model.root().split("\n") if place else []
        line = lines[int(place[1]) - 1] if place and int(place[1]) <= len(lines) else ""
        return f"constant {line.removeprefix(GIVEN)}" if line.startswith(GIVEN) else ""

    def _late(self) -> str:
        """Return a message that the time was up, with the last progress that TLC reported, perhaps long before."""
        far, cure = "", "give it more seconds"
        if (last := self._last) and last.distinct:
            far = f"; after {last.seconds:.0f} s TLC had found {last.distinct:,} distinct states"
            if last.queue:
                far += f", and {last.queue:,} were still to be followed"
            else:  # each is followed as soon as it is found, and there is always one more
                far += ", one after the other"
                cure = "perhaps there is no end: bound them by a CONSTRAINT, or give it more seconds"
        return f"the time was up after {self._bounds.seconds:.0f} s{far}: {cure}"

    def _is_constant(self, name: str) -> bool:
        library, module = self._model.library, self._model.module
        return library.defines(module, name) and library.definition(module, name).level == CONSTANT

    def _empty(self) -> list[str]:
        """Return the properties that have premises of which none was reached, though one should be."""
        if self._undecided:
            return []
        with_premises = dict.fromkeys(each.of for each in self._premises if each.number)
        shown = {each.of for number, each in enumerate(self._premises) if number in self._reached}
        return [name for name in with_premises if name not in shown | self._model.unreached]

    def _violated(self, result: Result) -> str | None:
        """Return the property that is violated; if TLC does not name it, each property is checked alone, in turn."""
        model = self._model
        if not result.violations or result.violations[0].outcome in (
            Outcome.DEADLOCK,
            Outcome.ASSERTION,
            Outcome.ASSUMPTION,
        ):
            return None
        first, properties = result.violations[0], model.config.properties
        if first.name or len(properties) == 1:
            return first.name or properties[0]
        if first.location and (place := _PLACE.search(first.location)):
            named = model.library.property_at(model.module, properties, int(place[1]), place[2])
            if named:
                return named
        # there may be states without end, and the step that was found is one of the first
        depth = len(first.trace) if first.trace and first.outcome is Outcome.ACTION_PROPERTY else None
        for name in properties:
            if self._alone(model.only([name]), depth).outcome is first.outcome:
                return name
        return None

    def _alone(self, model: PlainModel, depth: int | None = None) -> Result:
        """Return the result of a run for another model, of behaviours of at most ``depth`` states unless ``None``."""
        if depth is not None:
            line = f"{OWN}Near == {OWN}NoDeeper({depth}, {model.variables[0]})"
            bounds = (*model.config.action_constraints, f"{OWN}Near")
            config = replace(model.config, action_constraints=bounds)
            model = replace(model, definitions=(*model.definitions, line), config=config)
        alone = _Check(model, self._tools, self._bounds, None)
        alone._until = self._until
        alone._premises = ()
        return alone._run([], coverage=False, seconds=None)

    def _lacks_behaviours(self) -> str:
        """Return why the temporal properties may hold of no behaviour at all; an empty text if a fair one was found.

        This is not checked if no property is temporal, nor under a constraint, for which there are other doubts: no
        behaviour is followed beyond it.
        """
        model, (replaced, subjects) = self._model, subjects_of(self._model)
        asked_for = (replaced.get(name, name) for name in model.config.properties)
        bounded = model.config.constraints or model.config.action_constraints
        if bounded or not any(map(subjects.has_liveness, asked_for)):
            return ""
        never = f"{OWN}Never"
        line = f"{never} == <>({model.variables[0]} # {model.variables[0]})"
        config = replace(model.config, invariants=(), properties=(never,))
        outcome = self._alone(replace(model, config=config, definitions=(*model.definitions, line))).outcome
        if outcome is Outcome.TEMPORAL:
            return ""
        return _NO_BEHAVIOUR if outcome is Outcome.SUCCESS else f"{_NOT_DECIDED}: {outcome.value}"

    def _shortened(self, result: Result, violated: str) -> Result:
        """Return the violation of a temporal property with a shorter counterexample, if there is one.

        TLC does not look for a short loop. It judges fairness by what is enabled, and not by what is followed, so a
        behaviour that it finds among those of few states is one of the spec.
        """
        depth, trace = _SHORT, result.trace
        while trace and depth < len(trace) and result.outcome is Outcome.TEMPORAL:
            near = self._alone(self._model.only([violated]), depth)
            if near.outcome is Outcome.TEMPORAL and near.trace and len(near.trace) < len(trace):
                return replace(result, violations=near.violations)
            depth *= 2
        return result

    def _notes(self, result: Result) -> list[str]:
        config, notes = self._model.config, list(limits_of(self._model))
        notes += [
            f"{name}: its PlusCal or the translation was changed since it was translated; checked was the translation"
            for name in dict.fromkeys(_STALE.findall(result.output))
        ]
        library, module = self._model.library, self._model.module
        notes += [
            f"{name} is about states: as a PROPERTY it is asked of the initial states alone, as an INVARIANT of all"
            for name in config.properties
            if library.defines(module, name) and CONSTANT < library.definition(module, name).level < ACTION
        ]
        if self._undecided:
            notes.append(self._undecided)
        return notes


def counterexample_facts(model: PlainModel, checked: CheckedSpec) -> dict[str, Any]:
    """Return the facts in the document of a counterexample, beside its states, by key; empty ones are left out."""
    outcome = checked.result.outcome
    violated = NO_DEADLOCK if outcome is Outcome.DEADLOCK else checked.violated
    facts = {
        "title": f"{model.heading}: {violated or checked.reason}",
        "module": model.module,
        "configuration": model.config.where,
        "outcome": outcome.value,
        "violated": violated,
        "formula": model.text_of(violated or ""),
        "reason": None if violated else checked.reason,
        "notes": list(checked.notes),
    }
    return {key: value for key, value in facts.items() if value}


def _counts(model: PlainModel, relation: CountedRelation, result: Result) -> _Evidence:
    """Return the counts of a model; they are partial unless they add up to the states that TLC generated and kept."""
    counts = relation.counts(result.output)
    if counts is None:
        return _Evidence(partial=True)
    modules = [each.name for each in model.library.closure(model.module)]
    order = sorted(
        zip(relation.actions, counts.taken, strict=True),
        key=lambda each: (modules.index(each[0].module), each[0].line),
    )
    actions = tuple(TakenAction(each.name, f"{each.module}.tla:{each.line}", taken) for each, taken in order)
    evaluated = model.config.invariants if counts.held else ()
    complete = result.outcome is Outcome.SUCCESS and counts.add_up(result.generated, result.distinct)
    return _Evidence(actions, not complete, evaluated)


def _actions(coverage: Coverage) -> tuple[TakenAction, ...]:
    return tuple(
        TakenAction(name.partition("@")[0], f"{count.module}.tla:{count.line}", count.total)
        for name, count in coverage.actions.items()
        if not count.initial
    )
