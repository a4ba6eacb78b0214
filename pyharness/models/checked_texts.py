"""The texts that the verdicts of models depend on: properties, laws, predicates, fairness; each with a digest.

A property's text is shared by the specs that extend its module. The law of an application, which the properties use
under another name, counts as a property.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.models.behaviour_formula import behaviours_of, reached
from pyharness.models.model import LOWER_BOUND, PREDICATES_MODULE
from pyharness.models.value_kinds import Kinds
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import Boxed, Junction, Name, Prefix, names_in
from pyharness.tla.modules.formula_facts import next_actions
from pyharness.tla.modules.module import TEMPORAL
from pyharness.tla.modules.property_digests import PropertyDigests

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from pyharness.models.model import Model
    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.library import Library
    from pyharness.tla.modules.module import Definition
    from pyharness.tla.plain_models.plain_model import PlainModel

_FAIRNESS: Final = "Fairness"
"""The name of a spec's fairness formula, after the spec's prefix."""

_LAWS: Final = ("Conserved", LOWER_BOUND, "NothingLost")

_TEMPORAL: Final = re.compile(r"<>|\[\]")


@dataclass(frozen=True, slots=True)
class Subject:
    """A property as a model checks it.

    ``key`` is the module that defines it and its name; ``kind`` is ``state``, ``step`` or ``behaviour``.
    """

    key: str
    name: str
    kind: str


class CheckedTexts:
    """The texts that the verdicts of some models depend on."""

    def __init__(self, models: Sequence[Model], library: Library) -> None:
        self._models = models
        self._library = library
        self._kinds: dict[str, Kinds] = {}
        self._opened: dict[str, frozenset[str]] = {}
        self._digests = PropertyDigests(library)

    @cached_property
    def properties(self) -> frozenset[str]:
        """The names of all properties that the models check."""
        return frozenset(n for m in self._models for n in (*m.invariants, *m.properties))

    @cached_property
    def predicates(self) -> Mapping[str, Definition]:
        """The predicates that may be evaluated in a collected snapshot."""
        return self.definitions(PREDICATES_MODULE)

    def fairness(self, model: Model) -> str:
        """Return the key, ``Module.Name``, of the fairness formula of a model's spec."""
        name = f"{self._library.prefix(model.spec)}{_FAIRNESS}"
        return f"{self.definitions(model.spec)[name].module}.{name}"

    def _fair(self, model: Model) -> Expression:
        name = self.fairness(model).split(".")[1]
        return self.definitions(model.spec)[name].body

    def subjects(self, model: Model) -> list[Subject]:
        """Return the properties that a model checks."""
        return [self._subject(model, name) for name in (*model.invariants, *model.properties)]

    def texts(self) -> list[str]:
        """Return the keys of all texts that the verdicts depend on, sorted.

        These are the properties, the laws and predicates that they use, fairness, and the formulas that must be reached.
        """
        found = set()
        for model in self._models:
            own = [*model.reached, *([model.predicate] if model.predicate else [])]
            where = {**self.definitions(model.spec), **(self.predicates if model.predicate else {})}
            found |= {f"{where[name].module}.{name}" for name in own if name in where}
            for subject in self.subjects(model):
                found.add(subject.key)
                used = set(self._used(subject.key))
                found |= {f"{d.module}.{d.name}" for c, d in self.laws(model).items() if c in used}
            if model.fair:
                found.add(self.fairness(model))
        return sorted(found)

    def passing_digests(self) -> dict[str, str]:
        """Return the digests of the properties that passing models check, by their keys."""
        passing = (model for model in self._models if model.expect == "pass")
        keys = {subject.key for model in passing for subject in self.subjects(model)}
        return {key: self.digest(key) for key in sorted(keys)}

    def digest(self, key: str) -> str:
        """Return a digest of the text of a property, a law or a fairness formula, and of all definitions that it uses.

        The actions that a fairness formula names are not part of its text.
        """
        module, name = key.split(".")
        actions = next_actions(self._library, module) if name.endswith(_FAIRNESS) else ()
        return self._digests.digest(module, name, actions)

    def _used(self, key: str) -> Iterator[str]:
        """Yield the names of a property, of the formulas in its text, and of the instances' formulas and laws they use."""
        module, name = key.split(".")
        definitions = self.definitions(module)
        helpers = self.helpers(module)
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

    def _subject(self, model: Model, name: str) -> Subject:
        definition = self.definitions(model.spec)[name]
        kind = "behaviour" if _TEMPORAL.search(on_one_line(definition.body)) else "state"
        match definition.body:
            case Name(of) if of.endswith("!Spec"):
                kind = "step"
            case Prefix("[]", Boxed()) | Junction("/\\", (_, Prefix("[]", Boxed()))):
                kind = "step"
        return Subject(f"{definition.module}.{name}", name, kind)

    def laws(self, model: Model) -> dict[str, Definition]:
        """Return the application's definitions of the laws of global states, by the constants that they replace."""
        application = self.definitions(model.application)
        names = {"Conserved": f"{model.application}Conserved"}
        if LOWER_BOUND in self._library.constants(model.spec):
            names[LOWER_BOUND] = "NothingLost"
        elif "NothingLost" in application:
            names["NothingLost"] = "NothingLost"
        return {constant: application[name] for constant, name in names.items() if name in application}

    def kinds_of(self, module: str) -> Kinds:
        """Return the kinds of values of a module's definitions."""
        if module not in self._kinds:
            self._kinds[module] = Kinds(self.definitions(module))
        return self._kinds[module]

    def definitions(self, module: str) -> Mapping[str, Definition]:
        """Return the definitions that are visible in a module."""
        return self._library.visible(module)

    def helpers(self, module: str) -> frozenset[str]:
        """Return the formulas of a module that only its properties use: no action uses them, and none is a property."""
        if module not in self._opened:
            but = {*self._acting(module), *self.properties, *_LAWS}
            self._opened[module] = formulas_of(self._library, module, self.kinds_of(module), but)
        return self._opened[module]

    def _acting(self, module: str) -> set[str]:
        """Return the definitions used by the actions of the specs that extend a module."""
        found: set[str] = set()
        for spec in {model.spec for model in self._models}:
            if module in {m.name for m in self._library.closure(spec)}:
                own = [n for n in self.definitions(spec) if re.fullmatch(r"[A-Z]?(Init|Next|Fairness)", n)]
                found |= set(reached(self._library, spec, own))
        return found


def formulas_of(library: Library, module: str, kinds: Kinds, but: Collection[str]) -> frozenset[str]:
    """Return the names of a module's formulas that may be unfolded in its properties, except the names in ``but``.

    They are about states or steps, and take no operators; none uses itself.
    """
    return frozenset(
        name
        for name, definition in library.visible(module).items()
        if name not in but
        and definition.level < TEMPORAL
        and not any("(" in parameter for parameter in definition.parameters)
        and kinds.of(definition.body) == "boolean"
        and name not in reached(library, module, definition.uses)
    )


def asks_of(model: PlainModel, *, strict: bool) -> str:
    """Return a digest of all that is asked of a module: the names and texts of its properties, its fairness, its bounds."""
    config, library, module = model.config, model.library, model.module
    digests = PropertyDigests(library)
    try:
        fair = [digests.of_formula(module, each) for each in behaviours_of(model)[2]]
    except SpecError:  # in another form its fairness cannot be separated from the rest
        fair = [digests.digest(module, config.specification)] if config.specification else []
    named = [*model.checked, *config.constraints, *config.action_constraints, config.view, config.symmetry]
    named += [each.value for each in config.constants if each.stands_in]
    content = {
        "named": [
            [name, digests.digest(module, name) if library.defines(module, name) else None]
            for name in filter(None, named)
        ],
        "configuration": asdict(replace(config, where="", lines={}, invariants=(), properties=())),
        "definitions": model.definitions,
        "fair": fair,
        "strict": strict,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:16]
