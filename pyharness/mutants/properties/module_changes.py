"""The weakenings of any spec's properties, and the verdicts on them by the mutants of the spec.

A property of steps may say something of whole behaviours besides, such as what is fair in a spec that is refined: that
is left out, and said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.models.checked_texts import Subject
from pyharness.models.value_kinds import Kinds
from pyharness.mutants.properties.formula_weakenings import ALL_BUT_ONE, ONE_OF, RANGE, Opened, weaker
from pyharness.mutants.properties.watching import (
    ESCAPES,
    NOT_EVALUATED,
    WHOLE,
    WITHOUT_INIT,
    Changed,
    PropertyChange,
    each_once,
)
from pyharness.mutants.specs.behaviour_formula import behaviours_of, meaning_in, reached, step_formula
from pyharness.mutants.specs.one_module import MUTANT
from pyharness.mutants.trial import Trial, Verdict
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import Boxed, Name, Prefix, apart, names_in, rebuilt
from pyharness.tla.modules.formula_facts import about_states_only
from pyharness.tla.modules.module import TEMPORAL
from pyharness.tla.plain_models.plain_model import OWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyharness.mutants.properties.watching import Formula
    from pyharness.mutants.specs.behaviour_formula import StepFormula
    from pyharness.mutants.specs.spec_mutant import SpecMutant
    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.module import Definition
    from pyharness.tla.plain_models.plain_model import PlainModel

_HELPERS: Final = (ALL_BUT_ONE, ONE_OF, RANGE)
_TRUE: Final = Name("TRUE")

_Formulas = tuple[str, str, Iterator[tuple[str, str]]]
"""The kind of a property, its formula as the root has it, and each change with the formula that it makes."""


@dataclass(frozen=True)
class Choice:
    """The properties of a model that are weakened, and why others, or parts of them, are ``left_out``, by name."""

    properties: tuple[Changed, ...]
    left_out: dict[str, str]

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

    def choice(self, names: Iterable[str]) -> Choice:
        found = [self._property(name) for name in names]
        return Choice(tuple(each for each in found if each is not None), self._left_out)

    def _acted(self) -> frozenset[str]:
        behaviours = behaviours_of(self._model)
        names = [*names_in(behaviours.init), *names_in(behaviours.next)]
        return frozenset(reached(self._library, self._model.module, names))

    def _property(self, name: str) -> Changed | None:
        found = self._formulas(name)
        if found is None:
            return None
        kind, formula, changes = found
        key = f"{self._model.subject}.{name}"
        seen, others = {formula}, []
        for change, other in changes:
            if other not in seen:
                seen.add(other)
                others.append(PropertyChange(key, change, other))
        if not others:
            self._left_out[name] = "there is no place at which it can be weakened"
            return None
        return Changed(Subject(key, name, kind, formula), each_once(others))

    def _formulas(self, name: str) -> _Formulas | None:
        module, library = self._model.module, self._library
        if name in self._model.config.invariants:
            if library.defines(module, name):
                return self._of_states(Name(name), library.definition(module, name).body)
            self._left_out[name] = "it has no definition in a module"
            return None
        always = self._always(name)
        if always is not None:
            return self._of_states(always, always)
        found = step_formula(library, module, name)
        if found is None:
            return self._of_behaviours(Name(name))
        if found.whole:
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
        opened = self._opened(self._model.module)
        changes = ((change, _text(formula, {})) for change, formula in weaker(body, opened))
        return "state", _text(whole, {}), changes

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


@dataclass
class Seen:
    """The formulas that do ``not_hold`` in mutants, as pairs of a mutant and a formula, and which mutants are judges.

    ``whole`` are mutants that were followed to their end, ``grown`` those whose graph grew beyond its bound, and those
    that are ``no_judge`` TLC or SANY cannot take. ``unasked`` are pairs of a mutant and a property that TLC cannot
    evaluate in it. ``unevaluated`` has by weakening the mutant in which TLC can evaluate the property and not it;
    ``refused`` are formulas that SANY refuses. ``unfollowed`` are pairs of a mutant and a formula about whole behaviours
    for which the mutant was not followed for ever.
    """

    not_hold: set[tuple[int, Formula]] = field(default_factory=set)
    whole: set[int] = field(default_factory=set)
    grown: set[int] = field(default_factory=set)
    no_judge: set[int] = field(default_factory=set)
    unasked: set[tuple[int, Formula]] = field(default_factory=set)
    unevaluated: dict[Formula, int] = field(default_factory=dict)
    refused: set[Formula] = field(default_factory=set)
    unfollowed: set[tuple[int, Formula]] = field(default_factory=set)

    def violators(self, name: str) -> set[int]:
        """Return the judges that violate a property."""
        return {
            mutant
            for mutant, formula in self.not_hold
            if formula == (name, WHOLE) and self._asked(mutant, name)
        }

    def escaped(self, formula: Formula) -> int | None:
        """Return the first mutant that violates the property and not the weakening, in all that it does."""
        return min(
            (
                mutant
                for mutant in self.violators(formula[0]) & self.whole
                if (mutant, formula) not in self.not_hold | self.unfollowed
            ),
            default=None,
        )

    def may_tell(self, formula: Formula, mutants: Iterable[int]) -> list[int]:
        """Return the mutants that may notice a weakening, as far as was seen."""
        return [
            mutant
            for mutant in mutants
            if (mutant not in self.whole or self._may_follow(mutant, formula))
            and mutant not in self.no_judge
            and (mutant, formula) not in self.not_hold
            and self._asked(mutant, formula[0])
        ]

    def _may_follow(self, mutant: int, formula: Formula) -> bool:
        own = (mutant, (formula[0], WHOLE))
        return own in self.unfollowed or (own in self.not_hold and (mutant, formula) in self.unfollowed)

    def is_open(self, formula: Formula) -> bool:
        """Tell whether a weakening is still to be asked for."""
        return (
            formula not in self.unevaluated
            and self.refused.isdisjoint((formula, (formula[0], WHOLE)))
            and self.escaped(formula) is None
        )

    def _asked(self, mutant: int, name: str) -> bool:
        return mutant not in self.no_judge and (mutant, (name, WHOLE)) not in self.unasked

    def trial(self, change: PropertyChange, formula: Formula, mutants: Mapping[int, SpecMutant]) -> Trial:
        """Return the verdict on a weakening by the ``mutants``, as far as was seen."""
        key, name = (change.key, change.change), formula[0]
        if (mutant := self.unevaluated.get(formula)) is not None:
            return Trial(*key, Verdict.NOTICED, str(mutants[mutant]), NOT_EVALUATED)
        if (mutant := self.escaped(formula)) is not None:
            return Trial(*key, Verdict.NOTICED, str(mutants[mutant]), ESCAPES)
        if not self.refused.isdisjoint((formula, (name, WHOLE))):
            return Trial(*key, Verdict.INCOMPLETE, why="SANY refuses it")
        if open_ones := self.may_tell(formula, mutants):
            first = open_ones[0]
            why = "it was not run to its end in time"
            if first in self.grown:
                why = "its graph grows beyond the bound"
            elif first in self.whole:
                why = "it was not followed for ever"
            more = f"; so may {len(open_ones) - 1} others" if len(open_ones) > 1 else ""
            return Trial(*key, Verdict.INCOMPLETE, why=f"{mutants[first]} may tell: {why}{more}")
        if not self.violators(name):
            return Trial(*key, Verdict.SURVIVES, why="no mutant violates the property")
        return Trial(*key, Verdict.SURVIVES, why="each mutant that violates the property violates it, too")
