"""The changes of all properties of a plan, by the module that has the property's text.

A property's text is shared by the specs that extend its module, and so is a weakening: it is looked for in the models
of all of them. The law of an application, which the properties speak of under another name, counts as a property.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyharness.models.checked_texts import CheckedTexts
from pyharness.mutants.properties.formula_changes import Opened, bolder, stronger, weaker
from pyharness.mutants.properties.property_form import form_of, own_text
from pyharness.mutants.properties.watching import OTHER_LAW, Changed, PropertyChange, each_once
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import Call, Fair, Name, names_in, rebuilt, row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.checked_texts import Subject
    from pyharness.models.model import Model
    from pyharness.mutants.properties.formula_changes import Maker
    from pyharness.mutants.properties.property_form import PropertyForm
    from pyharness.tla.modules.expressions import Expression


class PlanChanges(CheckedTexts):
    """Makes the changes of the properties of a plan: weaker ones, and stronger ones."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan.models, plan.library)
        self._forms: dict[str, PropertyForm] = {}

    def fairer(self, model: Model, subject: Subject) -> Changed:
        """Return a property of behaviours of a spec that is fair to other things.

        In a model that passes these are fewer, one by one: the claim becomes stronger. Elsewhere fairness is strong where
        it was weak: the claim becomes weaker.
        """
        passes, fair = model.expect == "pass", self._fair(model)
        opened = Opened({}, frozenset(), self.kinds_of(model.spec))
        less = (each for each in weaker(fair, opened) if each[0].endswith("-> TRUE"))
        changes = each_once(
            PropertyChange(self.fairness(model), change, subject.name, fairness=on_one_line(formula))
            for change, formula in (less if passes else [("WF -> SF", _strong(fair))])
        )
        return Changed(subject.key, subject.kind, subject.name, changes, everywhere=passes)

    def weaker(self, model: Model, subject: Subject, *, strengthen: bool = False) -> Changed:
        """Return a property of a model with its weakenings, and those of the law that it speaks of.

        One that is expected to be violated is strengthened instead.
        """
        make = stronger if strengthen else weaker
        form = self._form(subject.key)
        changes = [*self._made(subject.key, make), *self._of_laws(model, form, make)]
        if not strengthen:
            changes += self._narrowed(subject.key, form)
        return Changed(subject.key, form.kind, form.formula, each_once(changes), everywhere=strengthen)

    def bolder(self, subject: Subject) -> Changed:
        """Return a property with its strengthenings: without a premise, or with one exemption less."""
        form = self._form(subject.key)
        changes = each_once(self._made(subject.key, bolder))
        return Changed(subject.key, form.kind, form.formula, changes, everywhere=True)

    def _form(self, key: str) -> PropertyForm:
        if key not in self._forms:
            module, name = key.split(".")
            invariant = any(name in model.invariants for model in self._models)
            self._forms[key] = form_of(self._library, module, name, "topo", invariant=invariant)
        return self._forms[key]

    def _made(self, key: str, make: Maker) -> list[PropertyChange]:
        """Return the changes of a property's text; that of a spec which is refined is another's, but for where it begins."""
        form = self._form(key)
        if form.instance:
            steps = row("/\\", form.body)[-1]
            changes = [(f"{form.instance}!Init -> TRUE", form.text(steps))] if make is weaker else []
        else:
            changes = form.changes(make, self._weakened_with(form.module))
        return [PropertyChange(key, change, formula) for change, formula in changes]

    def _narrowed(self, key: str, form: PropertyForm) -> Iterator[PropertyChange]:
        """Yield a property of states or steps for some of these alone."""
        predicates = self._narrowing(key.split(".", maxsplit=1)[0]) if form.kind != "behaviour" else ()
        for predicate in predicates:
            if predicate not in set(names_in(form.body)):
                for only in (predicate, f"~{predicate}"):
                    yield PropertyChange(key, f"only if {only}", f"{only} => ({form.formula})")

    def _of_laws(self, model: Model, form: PropertyForm, make: Maker) -> Iterator[PropertyChange]:
        for constant, law in self.laws(model).items():
            if constant not in set(names_in(form.body)):
                continue
            formula = form.text(_calling(form.body, constant, OTHER_LAW))
            opened = Opened(self.definitions(law.module), frozenset(), self.kinds_of(law.module))
            head = f"{OTHER_LAW}({', '.join(law.parameters)})"
            for change, other in make(law.body, opened):
                key = f"{law.module}.{law.name}"
                yield PropertyChange(key, change, formula, f"{head} == {own_text(other, {})}")

    def _weakened_with(self, module: str) -> Opened:
        return Opened(self.definitions(module), self.helpers(module), self.kinds_of(module))

    def _narrowing(self, module: str) -> list[str]:
        """Return the predicates of states that other properties of a module speak of."""
        definitions = self.definitions(module)
        helpers = self.helpers(module)
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
