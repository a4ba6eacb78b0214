"""The weakenings of what any spec checks, and what each came to, judged by the mutants of the spec.

What a property of steps says of whole behaviours besides, such as what is fair in a spec that is refined, is left out,
and said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.base.errors import SpecError
from pyharness.models.value_kinds import Kinds
from pyharness.mutants.specs.behaviour_formula import behaviours_of, meaning_in, reached, step_formula
from pyharness.mutants.specs.one_module import MUTANT
from pyharness.mutants.weakening.formula_weakenings import ALL_BUT_ONE, ONE_OF, RANGE, Opened, weaker
from pyharness.mutants.weakening.noticing import ESCAPES, NOT_EVALUATED
from pyharness.mutants.weakening.plan_weakenings import WITHOUT_INIT
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import Name, Prefix, Step, apart, names_in, rebuilt
from pyharness.tla.modules.formula_facts import says_states_only
from pyharness.tla.modules.module import TEMPORAL
from pyharness.tla.plain_models.plain_model import OWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyharness.mutants.specs.behaviour_formula import StepFormula
    from pyharness.mutants.specs.spec_mutant import SpecMutant
    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.module import Definition
    from pyharness.tla.plain_models.plain_model import PlainModel


MOST_WEAKENINGS: Final = 500
"""So many weakenings of a spec are asked for; of further ones it is said that they were not."""

_HELPERS: Final = (ALL_BUT_ONE, ONE_OF, RANGE)
_TRUE: Final = Name("TRUE")


class About(Enum):
    """What a formula is about: what can violate it."""

    STATES = "states"
    STEPS = "steps"
    BEHAVIOURS = "behaviours"


@dataclass(frozen=True, slots=True)
class PlainWeakening:
    """A weakening of the property ``of``: ``change`` says what is changed, ``formula`` is it, as the root has it.

    ``number`` is that under which it is told, beside those of the properties.
    """

    number: int
    of: str
    change: str
    formula: str


@dataclass(frozen=True, slots=True)
class WeakenedProperty:
    """A property that is weakened; ``formula`` is what is violated of it: by what ``about`` says."""

    number: int
    name: str
    about: About
    formula: str
    weakenings: tuple[PlainWeakening, ...]


@dataclass(frozen=True)
class Choice:
    """The ``properties`` of a model that are weakened, and why others, or parts of them, are ``left_out``, by name."""

    properties: tuple[WeakenedProperty, ...]
    left_out: dict[str, str]

    @property
    def weakenings(self) -> tuple[PlainWeakening, ...]:
        """The weakenings of all of them."""
        return tuple(each for one in self.properties for each in one.weakenings)


def chosen_weakenings(model: PlainModel, only: str = "") -> Choice:
    """Make the weakenings of what a model checks, or of what has ``only`` in its name.

    Raises SpecError where a module has a name that weakenings are written with.
    """
    return _Maker(model).choice([name for name in model.checked if only in name])


class _Subject(NamedTuple):
    """What is weakened: the ``formula`` in the ``module`` whose names it has, each change with what it makes of it."""

    formula: str
    changes: Iterator[tuple[str, str]]
    about: About


class _Maker:
    def __init__(self, model: PlainModel) -> None:
        self._model = model
        self._library = model.library
        self._acting = self._acted()
        self._left_out: dict[str, str] = {}
        self._numbers = 0

    def choice(self, names: Iterable[str]) -> Choice:
        found = [self._property(name) for name in names]
        return Choice(tuple(each for each in found if each is not None), self._left_out)

    def _acted(self) -> frozenset[str]:
        behaviours = behaviours_of(self._model)
        names = [*names_in(behaviours.init), *names_in(behaviours.next)]
        return frozenset(reached(self._library, self._model.module, names))

    def _property(self, name: str) -> WeakenedProperty | None:
        subject = self._subject(name)
        if subject is None:
            return None
        self._numbers += 1
        own, weakenings = self._numbers, []
        for change, formula in _each_once(subject):
            self._numbers += 1
            weakenings.append(PlainWeakening(self._numbers, name, change, formula))
        if not weakenings:
            self._left_out[name] = "there is no place at which it can be weakened"
            return None
        return WeakenedProperty(own, name, subject.about, subject.formula, tuple(weakenings))

    def _subject(self, name: str) -> _Subject | None:
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
        if isinstance(body, Prefix) and body.operator == "[]" and not isinstance(body.body, Step):
            return body.body if says_states_only(self._library, module, body.body) else None
        return None

    def _of_states(self, whole: Expression, body: Expression) -> _Subject:
        opened = self._opened(self._model.module)
        changes = ((change, _text(formula, {})) for change, formula in weaker(body, opened))
        return _Subject(_text(whole, {}), changes, About.STATES)

    def _of_steps(self, found: StepFormula) -> _Subject:
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

        return _Subject(text(found.first, found.action), changes(), About.STEPS)

    def _of_behaviours(self, named: Name) -> _Subject:
        changes = weaker(self._spelled_out(named), self._opened(self._model.module))
        return _Subject(
            named.name, ((change, _text(formula, {})) for change, formula in changes), About.BEHAVIOURS
        )

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


def _each_once(subject: _Subject) -> Iterator[tuple[str, str]]:
    """Yield the changes that make another formula, each of these once, and each change under a name of its own."""
    seen, names = {subject.formula}, dict[str, int]()
    for change, formula in subject.changes:
        if formula in seen:
            continue
        seen.add(formula)
        names[change] = names.get(change, 0) + 1
        yield (change if names[change] == 1 else f"{change} ({names[change]})"), formula


def _text(formula: Expression, meant: dict[str, Expression]) -> str:
    """Return a formula as the root has it: what it binds has names that no module of the user's declares."""
    own: dict[str, Expression] = {name: Name(f"{OWN}{name}") for name in _HELPERS}
    return on_one_line(apart(formula, {**meant, **own}, OWN))


class Judged(Enum):
    """What a weakening can come to."""

    NOTICED = "noticed"
    UNNOTICED = "not noticed"
    UNDECIDED = "not decided"


@dataclass(frozen=True)
class WeakeningVerdict:
    """What a ``weakening`` came to; ``by`` is a mutant that notices it, and ``how``.

    ``why`` says why it is not noticed, or not decided.
    """

    weakening: PlainWeakening
    judged: Judged
    by: SpecMutant | None = None
    how: str = ""
    why: str = ""


@dataclass
class Seen:
    """What was seen of mutants: which number does ``not_hold`` in which mutant, as pairs of a mutant and a number.

    ``whole`` are mutants that were followed to their end, ``grown`` those whose graph grew beyond its bound, and those
    that are ``no_judge`` TLC or SANY cannot take. ``unasked`` are pairs of a mutant and a property that TLC cannot
    evaluate in it. ``unevaluated`` has by weakening the mutant in which TLC can evaluate the property and not it;
    ``refused`` are those that SANY refuses. ``unfollowed`` are pairs of a mutant and a number, of a property of whole
    behaviours or a weakening of it, for which what the mutant does for ever was not followed.
    """

    not_hold: set[tuple[int, int]] = field(default_factory=set)
    whole: set[int] = field(default_factory=set)
    grown: set[int] = field(default_factory=set)
    no_judge: set[int] = field(default_factory=set)
    unasked: set[tuple[int, int]] = field(default_factory=set)
    unevaluated: dict[int, int] = field(default_factory=dict)
    refused: set[int] = field(default_factory=set)
    unfollowed: set[tuple[int, int]] = field(default_factory=set)

    def violators(self, prop: WeakenedProperty) -> set[int]:
        """Return the judges that violate a property."""
        return {
            mutant for mutant, number in self.not_hold if number == prop.number and self._asked(mutant, prop)
        }

    def escaped(self, prop: WeakenedProperty, weakening: PlainWeakening) -> int | None:
        """Return the first mutant that violates the property and not the weakening, in all that it does."""
        return min(
            (
                mutant
                for mutant in self.violators(prop) & self.whole
                if (mutant, weakening.number) not in self.not_hold | self.unfollowed
            ),
            default=None,
        )

    def may_tell(
        self, prop: WeakenedProperty, weakening: PlainWeakening, mutants: Mapping[int, SpecMutant]
    ) -> list[int]:
        """Return the mutants that may notice a weakening, as far as was seen."""
        return [
            mutant
            for mutant in mutants
            if (mutant not in self.whole or self._may_follow(mutant, prop, weakening))
            and mutant not in self.no_judge
            and (mutant, weakening.number) not in self.not_hold
            and self._asked(mutant, prop)
        ]

    def _may_follow(self, mutant: int, prop: WeakenedProperty, weakening: PlainWeakening) -> bool:
        return (mutant, prop.number) in self.unfollowed or (
            (mutant, prop.number) in self.not_hold and (mutant, weakening.number) in self.unfollowed
        )

    def is_open(self, prop: WeakenedProperty, weakening: PlainWeakening) -> bool:
        """Tell whether a weakening is still to be asked for."""
        number = weakening.number
        return (
            number not in self.unevaluated
            and self.refused.isdisjoint((number, prop.number))
            and self.escaped(prop, weakening) is None
        )

    def _asked(self, mutant: int, prop: WeakenedProperty) -> bool:
        return mutant not in self.no_judge and (mutant, prop.number) not in self.unasked


def verdict_on(
    prop: WeakenedProperty, weakening: PlainWeakening, seen: Seen, mutants: Mapping[int, SpecMutant]
) -> WeakeningVerdict:
    """Return what a weakening of a property came to, by what was seen of the ``mutants``."""
    if (mutant := seen.unevaluated.get(weakening.number)) is not None:
        return WeakeningVerdict(weakening, Judged.NOTICED, mutants[mutant], NOT_EVALUATED)
    if (mutant := seen.escaped(prop, weakening)) is not None:
        return WeakeningVerdict(weakening, Judged.NOTICED, mutants[mutant], ESCAPES)
    if not seen.refused.isdisjoint((weakening.number, prop.number)):
        return WeakeningVerdict(weakening, Judged.UNDECIDED, why="SANY refuses it")
    if open_ones := seen.may_tell(prop, weakening, mutants):
        first = open_ones[0]
        why = "it was not run to its end in time"
        if first in seen.grown:
            why = "its graph grows beyond the bound"
        elif first in seen.whole:
            why = "what it does for ever was not followed"
        more = f"; so may {len(open_ones) - 1} others" if len(open_ones) > 1 else ""
        said = f"mutant {first} ({mutants[first].place} {mutants[first].definition}) may tell: {why}{more}"
        return WeakeningVerdict(weakening, Judged.UNDECIDED, why=said)
    if not seen.violators(prop):
        return WeakeningVerdict(weakening, Judged.UNNOTICED, why="no mutant violates the property")
    return WeakeningVerdict(
        weakening, Judged.UNNOTICED, why="each mutant that violates the property violates it, too"
    )
