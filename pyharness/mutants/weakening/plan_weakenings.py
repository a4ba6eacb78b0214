"""The weakenings of all properties of a plan, by the module that has the property's text.

A property's text is shared by the specs that extend its module, and so is a weakening: it is looked for in the models
of all of them. The law of an application, which the properties speak of under another name, counts as a property.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pyharness.models.checked_texts import CheckedTexts, Subject, refinement_step, violated_part
from pyharness.mutants.weakening.bolder_formulas import bolder
from pyharness.mutants.weakening.formula_weakenings import Opened, stronger, weaker
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import (
    Call,
    Fair,
    Name,
    names_in,
    rebuilt,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.model import Model
    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.module import Definition

WITHOUT_INIT: Final = "without its Init"
OTHER_LAW: Final = "OtherLaw"
"""What a weakened law of global states is called."""


@dataclass(frozen=True, slots=True)
class Altered:
    """A weakening as it is looked for with one property of a model: ``subject`` with ``formula`` in its place.

    ``key`` is whose text is altered, the property's or the law's; ``change`` says how, and is its name among those of
    the same text. ``law`` defines the operator that ``formula`` has in the place of a law. One that ``strengthens`` is
    for a property that is expected to be violated.
    """

    key: str
    change: str
    subject: Subject
    formula: str
    law: str = ""
    strengthens: bool = False


class PlanWeakenings(CheckedTexts):
    """Makes the weakenings of the properties of a plan."""

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

    def altered(self, model: Model, subject: Subject, *, strengthen: bool = False) -> list[Altered]:
        """Return the weakenings of a property of a model, each once; those of the law that it speaks of among them."""
        own = self._changes(model, subject, strengthen=strengthen)
        laws = self._law_changes(model, subject, strengthen=strengthen)
        found: dict[tuple[str, str], Altered] = {}
        for key, change, formula, law in (*own, *laws):
            number, name = 1, change
            while (key, name) in found and (found[key, name].formula, found[key, name].law) != (formula, law):
                number += 1
                name = f"{change} ({number})"
            found[key, name] = Altered(key, name, subject, formula, law, strengthens=strengthen)
        return list(found.values())

    def bolder(self, subject: Subject) -> list[Altered]:
        """Return what says more than a property, each once: without a premise, or with one exemption less."""
        module = subject.key.split(".")[0]
        definitions = self.definitions(module)
        opened = Opened(definitions, self.helpers(module, definitions), self.kinds_of(module))
        found: dict[str, Altered] = {}
        for change, formula in bolder(definitions[subject.name].body, opened):
            text = violated_part(formula, subject.kind)
            number, name = 1, change
            while name in found and found[name].formula != text:
                number += 1
                name = f"{change} ({number})"
            found[name] = Altered(subject.key, name, subject, text, strengthens=True)
        return list(found.values())

    # -- one property -------------------------------------------------------------------------------------------

    def _changes(
        self, model: Model, subject: Subject, *, strengthen: bool
    ) -> Iterator[tuple[str, str, str, str]]:
        module = subject.key.split(".")[0]
        definitions = self.definitions(module)
        body = definitions[subject.name].body
        helpers = self.helpers(module, definitions)
        if isinstance(body, Name) and body.name.endswith("!Spec"):
            instance = body.name.removesuffix("!Spec")
            if not strengthen:
                yield subject.key, WITHOUT_INIT, refinement_step(instance), ""
        else:
            opened = Opened(definitions, helpers, self.kinds_of(module))
            for change, formula in (stronger if strengthen else weaker)(body, opened):
                yield subject.key, change, violated_part(formula, subject.kind), ""
        if not strengthen and subject.kind != "behaviour":
            used = set(names_in(body))
            for predicate in self._narrowing(module, definitions, helpers):
                if predicate not in used:
                    yield subject.key, f"only if {predicate}", f"{predicate} => ({subject.formula})", ""
                    yield subject.key, f"only if ~{predicate}", f"~{predicate} => ({subject.formula})", ""

    def _law_changes(
        self, model: Model, subject: Subject, *, strengthen: bool
    ) -> Iterator[tuple[str, str, str, str]]:
        module = subject.key.split(".")[0]
        body = self.definitions(module)[subject.name].body
        for constant, law in self.laws(model).items():
            if constant not in set(names_in(body)):
                continue
            formula = violated_part(_calling(body, constant, OTHER_LAW), subject.kind)
            opened = Opened(self.definitions(law.module), frozenset(), self.kinds_of(law.module))
            head = f"{OTHER_LAW}({', '.join(law.parameters)})"
            for change, other in (stronger if strengthen else weaker)(law.body, opened):
                yield f"{law.module}.{law.name}", change, formula, f"{head} == {on_one_line(other)}"

    # -- what a module offers -------------------------------------------------------------------------------------

    def _narrowing(
        self, module: str, definitions: Mapping[str, Definition], helpers: frozenset[str]
    ) -> list[str]:
        """Return the predicates of states that other properties of a module speak of."""
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
