"""Check that a model of a plan fits the specs: the names it uses exist, and its expectation is possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.base.errors import nearest
from pyharness.base.toolchain.spec_files import shipped_mutants
from pyharness.machines.systems import PROTOCOLS
from pyharness.models.model import LOWER_BOUND, NOT_COMPARABLE, NOTHING_LOST, PREDICATES_MODULE
from pyharness.models.model_meaning import require_meaning
from pyharness.models.render import APPLICATION
from pyharness.models.theorems import NO_GRAPHS, ON_GRAPHS, runs_on_graphs
from pyharness.models.witness import witnesses
from pyharness.tla.modules.formula_facts import is_about_states

if TYPE_CHECKING:
    from pyharness.models.model import Model
    from pyharness.models.model_meaning import ModelError
    from pyharness.tla.modules.library import Library

_SEEDED: Final = shipped_mutants()


class NoMutant(NamedTuple):
    """Why a name is not a mutant of a spec: the message, and a hint."""

    message: str
    hint: str | None = None


def no_mutant_of(library: Library, spec: str, mutant: str) -> NoMutant | None:
    """Return why a spec cannot be checked with this seeded bug; ``None`` if it can."""
    if mutant in library and mutant not in _SEEDED:
        hint = 'a bug of your own is a model with overrides and expect = "violation"'
        return NoMutant(f"{mutant} is not a shipped mutant", hint)
    if mutant not in library:
        return NoMutant(f"no mutant {mutant}", nearest(mutant, sorted(_SEEDED)))
    base = next((module.name for module in library.closure(mutant)[1:]), "nothing")
    if base not in {module.name for module in library.closure(spec)}:
        return NoMutant(f"{mutant} is a mutant of {base}, which {spec} does not extend")
    return None


@dataclass(frozen=True)
class ModelChecks:
    """Checks a model against the modules of ``library``; ``error`` makes the error of a key of its table."""

    library: Library
    error: ModelError

    def check(self, model: Model) -> None:
        """Raise SpecError at the first thing in the model that does not fit."""
        self._names(model)
        self._expectation(model)
        require_meaning(model, self.library, self.error)

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
            if problem := no_mutant_of(library, model.spec, model.mutant):
                raise self.error(problem.message, "mutant", problem.hint)
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
                    hint = nearest(name, sorted(library.visible(model.spec)))
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
            hint = 'name a state predicate of it, or write stop = "" to follow behaviours without end'
            raise self.error(f"{model.spec} does not define {model.stop}", "stop", hint)
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
        if model.wander is not None:
            self._wander(model)
        if model.simulate and model.spec not in PROTOCOLS:
            raise self.error(f"Python has no {model.spec} to compare with", "spec")

    def _wander(self, model: Model) -> None:
        """Require that a model whose behaviours begin in states of a random walk checks invariants alone."""
        if not model.comparable:
            raise self.error(f"Python has no {model.spec} to walk with", "wander", NOT_COMPARABLE)
        if model.mutant or model.overrides:
            raise self.error("Python walks as the spec states, without mutants and overrides", "wander")
        for key in ("properties", "fair", "simulate", "per_run", "reached"):
            if getattr(model, key):
                raise self.error(
                    "behaviours begin in their middle", key, "invariants are what is left to ask"
                )
