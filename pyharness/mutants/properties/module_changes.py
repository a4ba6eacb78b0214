"""The properties that a model checks, as its mutants are watched for them, and their weakenings.

A property of steps may say something of whole behaviours besides, such as what is fair in a spec that is refined: that
is not weakened, which is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.models.behaviour_formula import (
    behaviours_of,
    meaning_in,
    reached,
    relations_in,
    step_formula,
)
from pyharness.models.checked_texts import Subject
from pyharness.models.value_kinds import Kinds
from pyharness.mutants.properties.formula_weakenings import ALL_BUT_ONE, ONE_OF, RANGE, Opened, weaker
from pyharness.mutants.properties.watching import WITHOUT_INIT, Changed, PropertyChange, each_once
from pyharness.mutants.specs.one_module import FOLLOWING, MUTANT
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import Boxed, Name, Prefix, apart, names_in, rebuilt
from pyharness.tla.modules.formula_facts import about_states_only
from pyharness.tla.modules.module import TEMPORAL
from pyharness.tla.plain_models.plain_model import OWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.models.behaviour_formula import StepFormula
    from pyharness.mutants.properties.watching import Formula
    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.module import Definition
    from pyharness.tla.plain_models.plain_model import PlainModel

_HELPERS: Final = (ALL_BUT_ONE, ONE_OF, RANGE)
_TRUE: Final = Name("TRUE")

_Formulas = tuple[str, str, Iterator[tuple[str, str]]]
"""The kind of a property, its formula as the root has it, and each change with the formula that it makes."""


@dataclass(frozen=True)
class Choice:
    """The properties of a model, each with its weakenings, and why some, or parts of them, have none, by name.

    ``lasting`` are the names of those that say something of whole behaviours.
    """

    properties: tuple[Changed, ...]
    left_out: dict[str, str]
    lasting: tuple[str, ...] = ()

    @property
    def formulas(self) -> list[Formula]:
        """All weakenings."""
        return [(one.name, index) for one in self.properties for index in range(len(one.changes))]


def chosen_weakenings(model: PlainModel, only: str = "") -> Choice:
    """Make the weakenings of what a model checks, or of what has ``only`` in its name.

    Raises SpecError where a module has a name that weakenings are written with.
    """
    return _Maker(model).choice([name for name in model.checked if only in name])


class _Maker:
    def __init__(self, model: PlainModel) -> None:
        self._model = model
        self._library = model.library
        self._acting = self._acted()
        self._left_out: dict[str, str] = {}
        self._lasting: list[str] = []

    def choice(self, names: Iterable[str]) -> Choice:
        found = tuple(map(self._property, names))
        return Choice(found, self._left_out, tuple(self._lasting))

    def _acted(self) -> frozenset[str]:
        behaviours = behaviours_of(self._model)
        names = [*names_in(behaviours.init), *names_in(behaviours.next)]
        return frozenset(reached(self._library, self._model.module, names))

    def _property(self, name: str) -> Changed:
        kind, formula, changes = self._formulas(name)
        key = f"{self._model.subject}.{name}"
        seen, others = {formula}, []
        for change, other in changes:
            if other not in seen:
                seen.add(other)
                others.append(PropertyChange(key, change, other))
        if not others:
            self._left_out.setdefault(name, "there is no place at which it can be weakened")
        return Changed(Subject(key, name, kind, formula), each_once(others))

    def _formulas(self, name: str) -> _Formulas:
        module, library = self._model.module, self._library
        if name in self._model.config.invariants:
            if library.defines(module, name):
                return self._of_states(Name(name), library.definition(module, name).body)
            self._left_out[name] = "it has no definition in a module"
            return "state", name, iter(())
        always = self._always(name)
        if always is not None:
            return self._of_states(always, always)
        found = step_formula(library, module, name)
        if found is None:
            self._lasting.append(name)
            return self._of_behaviours(Name(name))
        if found.whole:
            self._lasting.append(name)
            self._left_out[name] = "what it says of whole behaviours; what it says of steps is weakened"
        return self._of_steps(found)

    def _always(self, name: str) -> Expression | None:
        """Return ``P`` of a property that is ``[]P``, with a ``P`` about states."""
        module, formula = self._model.module, Name(name)
        body: Expression = formula
        while isinstance(body, Name) and self._library.defines(module, body.name):
            body = self._library.definition(module, body.name).body
        if isinstance(body, Prefix) and body.operator == "[]" and not isinstance(body.body, Boxed):
            return body.body if about_states_only(self._library, module, body.body) else None
        return None

    def _of_states(self, whole: Expression, body: Expression) -> _Formulas:
        relations = relations_in(self._model, whole.name) if isinstance(whole, Name) else ()
        following: dict[str, Expression] = {each: Name(FOLLOWING) for each in relations}  # as mutants have it
        opened = self._opened(self._model.module)
        changes = ((change, _text(formula, following)) for change, formula in weaker(body, opened))
        return "state", _text(body if following else whole, following), changes

    def _of_steps(self, found: StepFormula) -> _Formulas:
        meant = dict(meaning_in(self._library, self._model.module, found.instance))
        instance = self._library.instance(self._model.module, found.instance) if found.instance else None
        opened = self._opened(instance.module if instance else self._model.module)

        def text(first: Expression, action: Expression) -> str:
            begins = "" if first == _TRUE else f"(~{OWN}Begins({MUTANT}) \\/ ({_text(first, meant)})) /\\ "
            return f"{begins}(UNCHANGED ({_text(found.subscript, meant)}) \\/ ({_text(action, meant)}))"

        def changes() -> Iterator[tuple[str, str]]:
            if found.first != _TRUE:
                yield WITHOUT_INIT, text(_TRUE, found.action)
            for change, first in weaker(found.first, opened):
                yield change, text(first, found.action)
            for change, action in weaker(found.action, opened):
                yield change, text(found.first, action)

        return "step", text(found.first, found.action), changes()

    def _of_behaviours(self, named: Name) -> _Formulas:
        changes = weaker(self._spelled_out(named), self._opened(self._model.module))
        return "behaviour", named.name, ((change, _text(formula, {})) for change, formula in changes)

    def _spelled_out(self, formula: Expression) -> Expression:
        """Return a formula with what its names say of behaviours in their places, but for what takes arguments."""
        module, library = self._model.module, self._library
        while isinstance(formula, Name) and library.defines(module, formula.name):
            definition = library.definition(module, formula.name)
            if definition.level < TEMPORAL:
                return formula
            formula = definition.body
        return rebuilt(formula, self._spelled_out)

    def _opened(self, module: str) -> Opened:
        """Return what the formulas of a module are weakened with; what actions use is not opened."""
        visible = self._library.visible(module)
        if taken := next((name for name in _HELPERS if name in visible), None):
            raise SpecError(
                f"{module} has a definition {taken}, as which a weakening is written",
                where=self._model.name,
                hint="give it another name",
            )
        kinds = Kinds(visible)
        acting = self._acting if module == self._model.module else frozenset[str]()
        helpers = frozenset(
            name
            for name, definition in visible.items()
            if name not in acting
            and name not in self._model.checked
            and self._is_formula(module, definition, kinds)
        )
        return Opened(visible, helpers, kinds)

    def _is_formula(self, module: str, definition: Definition, kinds: Kinds) -> bool:
        return (
            definition.level < TEMPORAL
            and not any("(" in parameter for parameter in definition.parameters)
            and kinds.of(definition.body) == "boolean"
            and definition.name not in reached(self._library, module, definition.uses)
        )


def _text(formula: Expression, meant: dict[str, Expression]) -> str:
    """Return a formula as the root has it: what it binds has names that no module of the user's declares."""
    own: dict[str, Expression] = {name: Name(f"{OWN}{name}") for name in _HELPERS}
    return on_one_line(apart(formula, {**meant, **own}, OWN))
