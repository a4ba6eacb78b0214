"""Whether a model of a plan fits the specs: the names it uses exist, and what it expects can be expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from pyharness.errors import SpecError, nearest
from pyharness.plan.fairness_form import unfair
from pyharness.plan.formula_level import is_about_states
from pyharness.plan.formula_subject import FormulaSubjects
from pyharness.plan.model import LOWER_BOUND, NOT_COMPARABLE, NOTHING_LOST, PREDICATES_MODULE
from pyharness.plan.spec_graphs import NO_GRAPHS, ON_GRAPHS, runs_on_graphs
from pyharness.plan.spec_text import without_strings
from pyharness.plan.witness import hidden_premise, witnesses
from pyharness.systems import MUTANTS, ONLY_IN_TLA, PROTOCOLS
from pyharness.tla.render import APPLICATION

if TYPE_CHECKING:
    from pyharness.plan.model import Model
    from pyharness.plan.spec_modules import Library

__all__ = ["ModelChecks"]

_SEEDED: Final = MUTANTS | ONLY_IN_TLA


class _Error(Protocol):
    def __call__(self, message: str, key: str | None, hint: str | None = None) -> SpecError: ...


@dataclass(frozen=True)
class ModelChecks:
    """Checks a model against the modules of ``library``; ``error`` makes the error of a key of its table."""

    library: Library
    error: _Error

    def check(self, model: Model) -> None:
        """Raise SpecError at the first thing in the model that does not fit."""
        self._names(model)
        self._expectation(model)
        self._meaning(model)

    def _names(self, model: Model) -> None:
        library = self.library
        if model.spec not in library or model.spec in _SEEDED:
            raise self.error(
                f"no module {model.spec}",
                "spec",
                nearest(model.spec, (name for name in library.names() if name not in _SEEDED)),
            )
        if not runs_on_graphs(library, model.spec):
            raise self.error(f"{model.spec} {NO_GRAPHS}", "spec", ON_GRAPHS)
        if model.mutant is not None:
            if model.mutant in library and model.mutant not in _SEEDED:
                hint = 'a bug of your own is a model with overrides and expect = "violation"'
                raise self.error(
                    f"{model.mutant} is no shipped mutant, with a twin in Python", "mutant", hint
                )
            if model.mutant not in library or model.mutant not in _SEEDED:
                raise self.error(
                    f"no mutant {model.mutant}", "mutant", nearest(model.mutant, sorted(_SEEDED))
                )
            base = library.module(model.mutant).extends[0]
            if base not in {module.name for module in library.closure(model.spec)}:
                raise self.error(
                    f"{model.mutant} is a mutant of {base}, which {model.spec} does not extend",
                    "mutant",
                )
            for name in library.module(model.mutant).definitions:
                operator = name.removeprefix(model.mutant)
                if name.startswith(model.mutant) and not library.defines(model.spec, operator):
                    raise self.error(f"{model.spec} has no operator {operator} to override", "mutant")
                if name.startswith(model.mutant) and operator in (*model.invariants, *model.properties):
                    raise self.error(f"{name} overrides {operator}, which is to catch it", "mutant")
        for name in model.overrides:
            if name in (*model.invariants, *model.properties):
                raise self.error(f"{name} is checked, so nothing may stand in for it", "overrides")
        for key in ("invariants", "properties", "silent", "reached", "overrides"):
            for name in (*getattr(model, key), *(model.overrides.values() if key == "overrides" else ())):
                if not library.defines(model.spec, name):
                    defined = {d for module in library.closure(model.spec) for d in module.definitions}
                    hint = nearest(name, sorted(defined))
                    raise self.error(f"{model.spec} does not define {name}", key, hint)
        for name in model.properties:
            if is_about_states(library, model.spec, name):
                raise self.error(
                    f"{name} is about states: TLC would look at it in the initial ones only",
                    "properties",
                    "it belongs to invariants",
                )
        for name in model.unreached:
            if name not in witnesses(model, library):
                known = f"there are {', '.join(witnesses(model, library))}"
                raise self.error(f"no witness {name}", "unreached", known)
        if model.granularity == "action" and not library.defines(model.spec, "Exchange"):
            raise self.error(f"{model.spec} has no Exchange", "granularity", "its actions are events")
        if model.stop and not library.defines(model.spec, model.stop):
            raise self.error(f"{model.spec} does not define {model.stop}", "stop")
        declared = library.constants(model.spec)
        if model.predicate:
            self._predicate(model, declared)
        for name in model.constants:
            if name not in {*declared, *model.defaults}:
                raise self.error(
                    f"{model.spec} declares no constant {name}",
                    "constants",
                    "TLC would ignore it silently",
                )
        given = {
            "Graphs",
            "Granularity",
            *APPLICATION,
            *model.constants,
            *(PROTOCOLS[model.spec].optional if model.spec in PROTOCOLS else ()),
            *library.constants(model.application),
        }
        if "Predicate" in declared - given and not model.predicate:
            raise self.error(f"{model.spec} tests a predicate", "predicate", "name one of Predicates")
        if LOWER_BOUND in declared and not any(library.defines(name, NOTHING_LOST) for name in model.modules):
            raise self.error(f"{model.spec} is about a dataflow", "application", 'add "Dataflow"')
        given |= {"Predicate", LOWER_BOUND}
        if declared - given:
            raise self.error(f"no value for {', '.join(sorted(declared - given))}", "constants")

    def _meaning(self, model: Model) -> None:
        """Require that what is checked can fail: a property that says nothing, and what makes it say nothing."""
        library = self.library
        all_variables = f"{library.prefix(model.spec)}vars".lower()
        if all_variables in model.overrides:
            raise self.error(
                f"nothing may stand in for {all_variables}: a step that leaves it unchanged is not looked at",
                "overrides",
            )
        subjects = FormulaSubjects(library, model.spec, model.overrides)
        for key in ("invariants", "properties"):
            for name in getattr(model, key):
                if why := subjects.nothing_said(name):
                    raise self.error(f"{name} says nothing: {why}", key, "no run could violate it")
                if hidden := hidden_premise(library, model.spec, name):
                    hint = f"state the implication in {model.spec} itself, over its own variables"
                    raise self.error(
                        f"{name}: nothing can tell whether a premise in {hidden} ever holds", key, hint
                    )
        if model.expect == "pass":
            self._premises(model)
            self._endless(model)

    def _premises(self, model: Model) -> None:
        """Require that the premise of each implication is about a state: of a step TLC cannot be asked for one."""
        for name, formula in witnesses(model, self.library).items():
            if "'" in without_strings(formula):
                prop = name.rpartition(".")[0] or name
                raise self.error(
                    f"{prop}: nothing can tell whether there is a step with {formula}",
                    "properties" if prop in model.properties else "invariants",
                    "before => say what holds in the state that the step leaves, and say of the step what is behind it",
                )

    def _endless(self, model: Model) -> None:
        """Require of a model that is to pass that whole behaviours are followed, and that there are fair ones."""
        endless = [name for name in model.properties if self._is_endless(model, name)]
        if endless and model.depth is not None:
            raise self.error(
                f"{endless[0]} is about whole behaviours, and none is followed beyond it",
                "depth",
                "remove it",
            )
        ends = {
            "",
            "Over",
            *(PROTOCOLS[m.name].stop for m in self.library.closure(model.spec) if m.name in PROTOCOLS),
        }
        if endless and (model.stop not in ends or model.stop in model.overrides):
            raise self.error(
                f"{endless[0]} is about whole behaviours, and none is followed beyond {model.stop}",
                "stop",
                'say stop = ""; only the end of the snapshot is as good',
            )
        if model.fair:
            try:
                wrong = unfair(self.library, model.spec, model.overrides)
            except SpecError as error:
                raise self.error(error.message, "fair") from None
            if wrong is not None:
                hint = "of a condition that no behaviour meets, everything holds"
                raise self.error(f"{wrong} is no WF or SF of an action of {model.spec}", "fair", hint)

    def _is_endless(self, model: Model, name: str) -> bool:
        try:
            self.library.formula(model.spec, name)
        except SpecError:
            return True
        return False

    def _predicate(self, model: Model, declared: frozenset[str]) -> None:
        if "Predicate" not in declared:
            raise self.error(f"{model.spec} tests no predicate", "predicate")
        if not self.library.defines(PREDICATES_MODULE, str(model.predicate)):
            raise self.error(f"{PREDICATES_MODULE} does not define {model.predicate}", "predicate")
        if model.application != "Tasks":
            raise self.error("the predicates are about Tasks", "predicate", 'add application = "Tasks"')

    def _expectation(self, model: Model) -> None:
        checked = (*model.invariants, *model.properties)
        if not checked:
            raise self.error("no invariants and no properties: the model checks nothing", "name")
        if model.expect == "violation":
            if not model.caught_by or not set(model.caught_by) <= set(checked):
                key = "mutants" if model.mutant else "caught_by"
                raise self.error("must name some of the model's invariants or properties", key)
            if model.pins is not None:
                raise self.error("a run that ends at a violation has no counts to pin", "pins")
        elif model.caught_by:
            raise self.error('goes with expect = "violation"', "caught_by")
        if model.per_run and (model.mutant or model.conform):
            raise self.error("a mutant and a comparison are one run of TLC", "per_run")
        if model.mutant and model.expect != "violation":
            raise self.error('a mutant has expect = "violation"', "expect")
        if model.conform and not model.comparable:
            raise self.error(f"{model.spec} cannot be compared state by state", "conform", NOT_COMPARABLE)
        if (model.simulate or model.explore) and model.spec not in PROTOCOLS:
            raise self.error(f"Python has no {model.spec} to compare with", "spec")
