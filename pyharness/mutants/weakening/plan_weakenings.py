"""The weakenings of all properties of a plan, by the module that has the property's text.

A property's text is shared by the specs that extend its module, and so is a weakening: it is looked for in the models
of all of them. The law of an application, which the properties speak of under another name, counts as a property.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from pyharness.models.model import LOWER_BOUND, PREDICATES_MODULE
from pyharness.mutants.weakening.bolder_formulas import bolder
from pyharness.mutants.weakening.formula_weakenings import Opened, stronger, weaker
from pyharness.mutants.weakening.property_digests import PropertyDigests
from pyharness.mutants.weakening.value_kinds import Kinds
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import (
    Call,
    Fair,
    Infix,
    Junction,
    Name,
    Prefix,
    Step,
    names_in,
    rebuilt,
)
from pyharness.tla.modules.formula_facts import next_actions
from pyharness.tla.modules.library import AT_FIRST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.gate.plans.plan import Plan
    from pyharness.models.model import Model
    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.module import Definition

WITHOUT_INIT: Final = "without its Init"
OTHER_LAW: Final = "OtherLaw"
"""What a weakened law of global states is called."""

_FAIRNESS: Final = "Fairness"
"""What a spec calls what it is fair to, but for a prefix."""

_LAWS: Final = ("Conserved", LOWER_BOUND, "NothingLost")
_TEMPORAL: Final = re.compile(r"<>|\[\]")


@dataclass(frozen=True, slots=True)
class Subject:
    """A property as a model checks it.

    ``key`` is the module that defines it and its name; ``kind`` is ``state``, ``step`` or ``behaviour``; ``formula`` is
    what a state or a step violates, and for a property of behaviours the property.
    """

    key: str
    name: str
    kind: str
    formula: str


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


class PlanWeakenings:
    """Makes the weakenings of the properties of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._library = plan.library
        self._kinds: dict[str, Kinds] = {}
        self._opened: dict[str, frozenset[str]] = {}
        self._digests = PropertyDigests(plan.library)

    @cached_property
    def _properties(self) -> frozenset[str]:
        return frozenset(n for m in self._plan.models for n in (*m.invariants, *m.properties))

    @cached_property
    def _predicates(self) -> Mapping[str, Definition]:
        return self._definitions(PREDICATES_MODULE)

    def fairness(self, model: Model) -> str:
        """Return the key of what the spec of a model is fair to."""
        name = f"{self._library.prefix(model.spec)}{_FAIRNESS}"
        return f"{self._definitions(model.spec)[name].module}.{name}"

    def less_fair(self, model: Model) -> list[tuple[str, str]]:
        """Return the ways to be fair to less: what is left out, and the rest. A claim without it says more."""
        return [
            (change, on_one_line(formula))
            for change, formula in weaker(
                self._fair(model), Opened({}, frozenset(), self._kinds_of(model.spec))
            )
            if change.endswith("-> TRUE")
        ]

    def strongly_fair(self, model: Model) -> str:
        """Return the same with strong fairness for weak: a claim with it says less."""
        return on_one_line(_strong(self._fair(model)))

    def _fair(self, model: Model) -> Expression:
        name = self.fairness(model).split(".")[1]
        return self._definitions(model.spec)[name].body

    def subjects(self, model: Model) -> list[Subject]:
        """Return the properties that a model checks."""
        return [self._subject(model, name) for name in (*model.invariants, *model.properties)]

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
        definitions = self._definitions(module)
        opened = Opened(definitions, self._helpers(module, definitions), self._kinds_of(module))
        found: dict[str, Altered] = {}
        for change, formula in bolder(definitions[subject.name].body, opened):
            text = _bare(formula, subject.kind)
            number, name = 1, change
            while name in found and found[name].formula != text:
                number += 1
                name = f"{change} ({number})"
            found[name] = Altered(subject.key, name, subject, text, strengthens=True)
        return list(found.values())

    def texts(self) -> list[str]:
        """Return the keys of all that the plan's verdicts rest on, sorted.

        That is its properties, the laws and predicates that they speak of, what is fair, and what must be reached.
        """
        found = set()
        for model in self._plan.models:
            own = [*model.reached, *([model.predicate] if model.predicate else [])]
            where = {**self._definitions(model.spec), **(self._predicates if model.predicate else {})}
            found |= {f"{where[name].module}.{name}" for name in own if name in where}
            for subject in self.subjects(model):
                found.add(subject.key)
                used = set(self._used(subject.key))
                found |= {f"{d.module}.{d.name}" for c, d in self._laws(model).items() if c in used}
            if model.fair:
                found.add(self.fairness(model))
        return sorted(found)

    def passing_digests(self) -> dict[str, str]:
        """Return the digests of the properties that passing models check, by their keys."""
        passing = (model for model in self._plan.models if model.expect == "pass")
        keys = {subject.key for model in passing for subject in self.subjects(model)}
        return {key: self.digest(key) for key in sorted(keys)}

    def digest(self, key: str) -> str:
        """Return a digest of the text of a property, a law or a fairness, and of all that it uses.

        A fairness is of actions; what those do is not its text.
        """
        module, name = key.split(".")
        actions = next_actions(self._library, module) if name.endswith(_FAIRNESS) else ()
        return self._digests.digest(module, name, actions)

    def _used(self, key: str) -> Iterator[str]:
        """Yield a property's name, those of the formulas that it opens, and all that they use of instances or laws."""
        module, name = key.split(".")
        definitions = self._definitions(module)
        helpers = self._helpers(module, definitions)
        waiting, seen = [name], set()
        while waiting:
            current = waiting.pop()
            if current in seen:
                continue
            seen.add(current)
            if current == name or current in helpers or "!" in current or current in _LAWS:
                yield current
            if current == name or current in helpers:
                waiting += sorted(set(names_in(definitions[current].body)))

    # -- one property -------------------------------------------------------------------------------------------

    def _subject(self, model: Model, name: str) -> Subject:
        definition = self._definitions(model.spec)[name]
        key, body = f"{definition.module}.{name}", definition.body
        match body:
            case Name(of) if of.endswith("!Spec"):
                return Subject(key, name, "step", _refinement(of.removesuffix("!Spec")))
            case Prefix("[]", Step()) | Junction("/\\", (_, Prefix("[]", Step()))):
                return Subject(key, name, "step", _bare(body, "step"))
        text = on_one_line(body)
        return Subject(key, name, "behaviour" if _TEMPORAL.search(text) else "state", text)

    def _changes(
        self, model: Model, subject: Subject, *, strengthen: bool
    ) -> Iterator[tuple[str, str, str, str]]:
        module = subject.key.split(".")[0]
        definitions = self._definitions(module)
        body = definitions[subject.name].body
        helpers = self._helpers(module, definitions)
        if isinstance(body, Name) and body.name.endswith("!Spec"):
            instance = body.name.removesuffix("!Spec")
            if not strengthen:
                yield subject.key, WITHOUT_INIT, _step(instance), ""
        else:
            opened = Opened(definitions, helpers, self._kinds_of(module))
            for change, formula in (stronger if strengthen else weaker)(body, opened):
                yield subject.key, change, _bare(formula, subject.kind), ""
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
        body = self._definitions(module)[subject.name].body
        for constant, law in self._laws(model).items():
            if constant not in set(names_in(body)):
                continue
            formula = _bare(_calling(body, constant, OTHER_LAW), subject.kind)
            opened = Opened(self._definitions(law.module), frozenset(), self._kinds_of(law.module))
            head = f"{OTHER_LAW}({', '.join(law.parameters)})"
            for change, other in (stronger if strengthen else weaker)(law.body, opened):
                yield f"{law.module}.{law.name}", change, formula, f"{head} == {on_one_line(other)}"

    def _laws(self, model: Model) -> dict[str, Definition]:
        """Return the definitions that stand for the constants which are laws of global states, by the constants."""
        application = self._definitions(model.application)
        names = {"Conserved": f"{model.application}Conserved"}
        if LOWER_BOUND in self._library.constants(model.spec):
            names[LOWER_BOUND] = "NothingLost"
        elif "NothingLost" in application:
            names["NothingLost"] = "NothingLost"
        return {constant: application[name] for constant, name in names.items() if name in application}

    # -- what a module offers -------------------------------------------------------------------------------------

    def _kinds_of(self, module: str) -> Kinds:
        if module not in self._kinds:
            self._kinds[module] = Kinds(self._definitions(module))
        return self._kinds[module]

    def _definitions(self, module: str) -> Mapping[str, Definition]:
        return self._library.visible(module)

    def _helpers(self, module: str, definitions: Mapping[str, Definition]) -> frozenset[str]:
        """Return the formulas of a module that only its properties use: no action does, and none is a property."""
        if module in self._opened:
            return self._opened[module]
        acting = self._acting(module)
        kinds = self._kinds_of(module)
        self._opened[module] = frozenset(
            name
            for name, definition in definitions.items()
            if name not in acting
            and name not in self._properties
            and name not in _LAWS
            and kinds.of(definition.body) == "boolean"
            and not _TEMPORAL.search(on_one_line(definition.body))
        )
        return self._opened[module]

    def _acting(self, module: str) -> set[str]:
        """Return what the actions use of the specs that extend a module."""
        found: set[str] = set()
        for spec in {model.spec for model in self._plan.models}:
            if module not in {m.name for m in self._library.closure(spec)}:
                continue
            definitions = self._definitions(spec)
            waiting = [n for n in definitions if re.fullmatch(r"[A-Z]?(Init|Next|Fairness)", n)]
            while waiting:
                name = waiting.pop()
                if name not in found and name in definitions:
                    found.add(name)
                    waiting += names_in(definitions[name].body)
        return found

    def _narrowing(
        self, module: str, definitions: Mapping[str, Definition], helpers: frozenset[str]
    ) -> list[str]:
        """Return the predicates of states that other properties of a module speak of."""
        spoken = {
            used for name in self._properties & set(definitions) for used in names_in(definitions[name].body)
        }
        return [
            name
            for name in definitions
            if name in helpers & spoken
            and not definitions[name].parameters
            and not isinstance(definitions[name].body, Name)
        ]


def _bare(formula: Expression, kind: str) -> str:
    r"""Return what a state or a step violates of a formula: ``A`` of ``[][A]_vars``.

    Where a property of steps has a part about the beginning, each step from an initial state tells.
    """
    match formula:
        case Prefix("[]", Step("[", action, _)):
            return on_one_line(action)
        case Junction("/\\", (begins, Prefix("[]", Step("[", action, _)))):
            return f"({AT_FIRST} => ({on_one_line(begins)})) /\\ ({on_one_line(action)})"
    text = on_one_line(formula)
    return f"{AT_FIRST} => ({text})" if kind == "step" else text


def _strong(expression: Expression) -> Expression:
    """Return an expression with strong fairness wherever it has weak fairness."""
    if isinstance(expression, Fair):
        return replace(expression, kind="SF")
    return rebuilt(expression, _strong)


def _calling(expression: Expression, old: str, new: str) -> Expression:
    """Return an expression with another operator called in the place of ``old``."""
    inner = rebuilt(expression, lambda part: _calling(part, old, new))
    return Call(new, inner.arguments) if isinstance(inner, Call) and inner.name == old else inner


def _step(instance: str) -> str:
    return on_one_line(Infix("\\/", Prefix("UNCHANGED", Name(f"{instance}!vars")), Name(f"{instance}!Next")))


def _refinement(instance: str) -> str:
    """Return what a step violates of ``X!Spec``; of ``X!Init`` each step from an initial state tells."""
    return f"({AT_FIRST} => {instance}!Init) /\\ ({_step(instance)})"
