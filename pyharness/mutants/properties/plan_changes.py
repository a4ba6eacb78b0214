"""The changes of all properties of a plan, by the module that has the property's text.

A property's text is shared by the specs that extend its module, and so is a weakening: it is looked for in the models
of all of them. The law of an application, which the properties speak of under another name, counts as a property.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyharness.models.checked_texts import CheckedTexts, refinement_step, violated_part
from pyharness.mutants.properties.bolder_formulas import bolder
from pyharness.mutants.properties.formula_weakenings import Opened, stronger, weaker
from pyharness.mutants.properties.watching import (
    OTHER_LAW,
    WITHOUT_INIT,
    Changed,
    PropertyChange,
    each_once,
)
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import Call, Fair, Name, names_in, rebuilt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.checked_texts import Subject
    from pyharness.models.model import Model
    from pyharness.mutants.properties.formula_weakenings import Maker
    from pyharness.tla.modules.expressions import Expression


class PlanChanges(CheckedTexts):
    """Makes the changes of the properties of a plan: weaker ones, and stronger ones."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan.models, plan.library)

    def less_fair(self, model: Model) -> list[tuple[str, str]]:
        """Return the ways to be fair to less: what is left out, and the rest. A claim without it says more."""
        return [
            (change, on_one_line(formula))
            for change, formula in weaker(
                self._fair(model), Opened({}, frozenset(), self.kinds_of(model.spec))
            )
            if change.endswith("-> TRUE")
        ]

    def strongly_fair(self, model: Model) -> str:
        """Return the same with strong fairness for weak: a claim with it says less."""
        return on_one_line(_strong(self._fair(model)))

    def weaker(self, model: Model, subject: Subject, *, strengthen: bool = False) -> Changed:
        """Return a property of a model with its weakenings, and those of the law that it speaks of.

        One that is expected to be violated is strengthened instead.
        """
        make = stronger if strengthen else weaker
        own = self._of_text(subject, make, strengthen=strengthen)
        laws = self._of_laws(model, subject, make)
        return Changed(subject, each_once([*own, *laws]), everywhere=strengthen)

    def bolder(self, subject: Subject) -> Changed:
        """Return a property with what says more: without a premise, or with one exemption less."""
        module = subject.key.split(".")[0]
        body = self.definitions(module)[subject.name].body
        changes = (
            PropertyChange(subject.key, change, violated_part(formula, subject.kind))
            for change, formula in bolder(body, self._weakened_with(module))
        )
        return Changed(subject, each_once(changes), everywhere=True)

    def _of_text(self, subject: Subject, make: Maker, *, strengthen: bool) -> Iterator[PropertyChange]:
        key = subject.key
        module = key.split(".")[0]
        body = self.definitions(module)[subject.name].body
        if isinstance(body, Name) and body.name.endswith("!Spec"):
            if not strengthen:
                yield PropertyChange(key, WITHOUT_INIT, refinement_step(body.name.removesuffix("!Spec")))
        else:
            for change, formula in make(body, self._weakened_with(module)):
                yield PropertyChange(key, change, violated_part(formula, subject.kind))
        if not strengthen and subject.kind != "behaviour":
            for predicate in self._narrowing(module):
                if predicate not in set(names_in(body)):
                    yield PropertyChange(key, f"only if {predicate}", f"{predicate} => ({subject.formula})")
                    yield PropertyChange(key, f"only if ~{predicate}", f"~{predicate} => ({subject.formula})")

    def _of_laws(self, model: Model, subject: Subject, make: Maker) -> Iterator[PropertyChange]:
        body = self.definitions(subject.key.split(".")[0])[subject.name].body
        for constant, law in self.laws(model).items():
            if constant not in set(names_in(body)):
                continue
            formula = violated_part(_calling(body, constant, OTHER_LAW), subject.kind)
            opened = Opened(self.definitions(law.module), frozenset(), self.kinds_of(law.module))
            head = f"{OTHER_LAW}({', '.join(law.parameters)})"
            for change, other in make(law.body, opened):
                yield PropertyChange(
                    f"{law.module}.{law.name}", change, formula, f"{head} == {on_one_line(other)}"
                )

    def _weakened_with(self, module: str) -> Opened:
        definitions = self.definitions(module)
        return Opened(definitions, self.helpers(module, definitions), self.kinds_of(module))

    def _narrowing(self, module: str) -> list[str]:
        """Return the predicates of states that other properties of a module speak of."""
        definitions = self.definitions(module)
        helpers = self.helpers(module, definitions)
        spoken = {
            used for name in self.properties & set(definitions) for used in names_in(definitions[name].body)
        }
        return [
            name
            for name in definitions
            if name in helpers & spoken
            and not definitions[name].parameters
            and not isinstance(definitions[name].body, Name)
        ]


def _strong(expression: Expression) -> Expression:
    """Return an expression with strong fairness wherever it has weak fairness."""
    if isinstance(expression, Fair):
        return replace(expression, kind="SF")
    return rebuilt(expression, _strong)


def _calling(expression: Expression, old: str, new: str) -> Expression:
    """Return an expression with another operator called in the place of ``old``."""
    inner = rebuilt(expression, lambda part: _calling(part, old, new))
    return Call(new, inner.arguments) if isinstance(inner, Call) and inner.name == old else inner
