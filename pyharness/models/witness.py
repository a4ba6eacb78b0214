"""Witnesses against vacuous checks: the antecedent of each implication, and a channel state, must be reached.

A property ``A => B`` is vacuous in a model in which ``A`` never holds. For each implication in a property's formula,
:func:`antecedents` gives the state formula that must be true somewhere. A name stands for its definition: an implication
in that is one of the property, also where the name is given arguments.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.tla.modules import expressions as ast
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.formula_facts import level_of
from pyharness.tla.modules.module import ACTION, TEMPORAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyharness.models.model import Model
    from pyharness.tla.modules.expressions import Bound, Expression
    from pyharness.tla.modules.library import Library

CHANNEL_STATE: Final = "ChannelState"
"""The witness that a complete snapshot has a channel state that is not empty."""

_TRUE: Final = ast.Name("TRUE")
_REFINED: Final = ("Spec", "Next")
"""The definitions of an instance that a refinement is about: their implications are those of actions, not premises."""


MOST_VISITS: Final = 1000
"""The number of uses of definitions in which the premises of one property are looked for, at most."""


class PremisesError(SpecError):
    """The premises of a property are too many to be looked for."""


def witnesses(model: Model, library: Library) -> dict[str, str]:
    """Return the state formulas that a model must reach, by name.

    The names are ``Property.1``, …, :data:`CHANNEL_STATE`, and those in its ``reached``.
    """
    found = {name: on_one_line(formula) for name, formula in premises(model, library).items()}
    return found | witnesses_beside(model, library)


def witnesses_beside(model: Model, library: Library) -> dict[str, str]:
    """Return the formulas, by name, that a model must reach beside its premises; none for a model that is to fail."""
    found: dict[str, str] = {}
    if model.expect != "pass":
        return found
    if library.defines(model.spec, CHANNEL_STATE):
        found[CHANNEL_STATE] = CHANNEL_STATE
    elif library.defines(model.spec, "Complete"):
        found[CHANNEL_STATE] = r"Complete /\ \E c \in DOMAIN recChan : recChan[c] # << >>"
    return found | {name: name for name in model.reached}


def premises(model: Model, library: Library) -> dict[str, Expression]:
    """Return the premises of all properties of a model, except temporal ones, by name: ``Property.1``."""
    found: dict[str, Expression] = {}
    for prop in (*model.invariants, *model.properties):
        of = premises_of(library, model.spec, prop)
        found |= {f"{prop}.{number}": formula for number, formula in enumerate(of, start=1)}
    return found


def premises_of(library: Library, spec: str, prop: str) -> tuple[Expression, ...]:
    """Return the premises of a property of a module, except temporal ones, in the order of the text."""
    return library.once("premises", spec, prop, of=partial(_premises, library, spec, prop))


def _premises(library: Library, spec: str, prop: str) -> tuple[Expression, ...]:
    formula, known = _read(library, spec, prop, [])
    found = map(known.with_helpers, antecedents(formula, known))
    return tuple(each for each in found if level_of(library, spec, each) < TEMPORAL)


def probes_of(model: Model, library: Library) -> dict[str, str]:
    """Return the witnesses, by name, that the check of a model looks for; none if the model is to fail."""
    return witnesses(model, library) if model.expect == "pass" else {}


def hidden_premise(library: Library, spec: str, prop: str) -> str | None:
    """Return an ``X!A`` in a property whose definition has an implication; ``None`` if there is none.

    The premise is about the instanced module's variables, and cannot be written in the module ``spec``.
    """
    hidden: list[str] = []
    antecedents(*_read(library, spec, prop, hidden))
    return hidden[0] if hidden else None


def _read(
    library: Library,
    spec: str,
    prop: str,
    hidden: list[str],
    entered: frozenset[tuple[str, str]] = frozenset(),
) -> tuple[Expression, _Definitions]:
    """Return the formula of a property, following names of other properties, and the definitions for the names in it."""
    seen: list[str] = []
    formula: Expression = _TRUE
    name, home = prop, spec
    while name not in seen and library.defines(spec, name):
        seen.append(name)
        found = library.definition(spec, name)
        formula, home = found.body, found.module
        inner = formula.body if isinstance(formula, ast.Prefix) and formula.operator == "[]" else formula
        name = inner.name if isinstance(inner, ast.Name) else prop
    return formula, _Definitions(library, home, hidden, frozenset(seen), entered | {(spec, prop)})


@dataclass(frozen=True)
class _Definitions:
    """The definitions of a ``module`` that are searched for premises, except those ``within`` which the search is now.

    Definitions of extended modules are not searched: those have models of their own. ``entered`` are modules and
    properties on the way to here. Formulas of instances that have premises are added to ``hidden``. ``helpers`` are the
    witnesses of operators with arguments, by name: each is a definition with the operator's own parameters, for other
    names are bound where it is applied. ``local`` maps each definition of a ``LET`` to the names of its witnesses there.
    ``bare`` are modules and names whose definitions have no implication; ``visits`` counts the definitions searched.
    """

    library: Library
    module: str
    hidden: list[str] = field(default_factory=list)
    within: frozenset[str] = frozenset()
    entered: frozenset[tuple[str, str]] = frozenset()
    helpers: dict[str, ast.Binding] = field(default_factory=dict)
    local: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bare: set[tuple[str, str]] = field(default_factory=set)
    visits: Iterator[int] = field(default_factory=count)

    def with_local(self, definitions: Iterable[ast.Binding]) -> tuple[tuple[ast.Binding, ...], _Definitions]:
        """Return the definitions of a ``LET``, each followed by its witnesses', and the definitions inside the ``LET``."""
        known, added = self, list[ast.Binding]()
        for each in definitions:
            inner, around = _function(each.body)
            found = [w for w in antecedents(inner, known) if self._is_of_one_state(w)]
            names = dict(zip(self._free_names(each.name), found, strict=False))
            added += [
                each,
                *(ast.Binding(name, each.parameters, around(witness)) for name, witness in names.items()),
            ]
            known = replace(known, local={**known.local, each.name: tuple(names)})
        return tuple(added), known

    def with_helpers(self, formula: Expression) -> Expression:
        """Return a witness, in a ``LET`` with the definitions of the helpers that it uses, if any."""
        used: list[ast.Binding] = []
        for name, definition in reversed(self.helpers.items()):
            if any(name in ast.names_in(each) for each in (formula, *used)):
                used.insert(0, definition)
        return ast.Let(tuple(used), formula) if used else formula

    def inside(self, leaf: Expression) -> list[Expression]:
        """Return the witnesses of a formula that is only a name, perhaps with arguments, by its definition.

        Premises about steps are not looked for in operators with arguments.
        """
        match leaf:
            case ast.Name(name) if "!" in name:
                self._note_hidden(name, leaf)
                return []
            case ast.Member(instance, name, _):
                self._note_hidden(f"{instance.name}!{name}", leaf)
                return []
            case ast.Name(name) | ast.Call(name, _) | ast.Index(ast.Name(name), _):
                return self._inside_name(name, leaf)
        return []

    def _note_hidden(self, used: str, leaf: Expression) -> None:
        found = self.library.of_instance(self.module, used)
        name = used.rpartition("!")[2]
        if found is None or name in _REFINED or (found[0].module, name) in self.entered:
            return
        if antecedents(*_read(self.library, found[0].module, name, self.hidden, self.entered)):
            self.hidden.append(on_one_line(leaf))

    def _inside_name(self, name: str, leaf: Expression) -> list[Expression]:
        if name in self.local:
            return [_renamed(leaf, helper) for helper in self.local[name]]
        definition = self.library.module(self.module).definitions.get(name)
        if name in self.within or definition is None or (self.module, name) in self.bare:
            return []
        if next(self.visits) >= MOST_VISITS:
            raise PremisesError(
                f"premises are not looked for in more than {MOST_VISITS:,} uses of definitions",
                hint="let the property name each definition once",
            )
        own = replace(self, within=self.within | {name}, local={})
        inner, around = (
            _function(definition.body) if isinstance(leaf, ast.Index) else (definition.body, _same)
        )
        found = antecedents(inner, own)
        if not found:
            self.bare.add((self.module, name))
        if isinstance(leaf, ast.Name):
            return found
        return [
            _renamed(leaf, self._helper(name, definition.parameters, around(witness)))
            for witness in found
            if self._is_of_one_state(witness)
        ]

    def _helper(self, operator: str, parameters: tuple[str, ...], witness: Expression) -> str:
        """Return the name of the helper for a witness of an operator, a new one if the witness has none yet."""
        for name, definition in self.helpers.items():
            if definition == ast.Binding(name, parameters, witness):
                return name
        helper = next(self._free_names(operator, len(self.helpers) + 1))
        self.helpers[helper] = ast.Binding(helper, parameters, witness)
        return helper

    def _is_of_one_state(self, formula: Expression) -> bool:
        return level_of(self.library, self.module, formula) != ACTION

    def _free_names(self, operator: str, first: int = 1) -> Iterator[str]:
        """Yield names for the witnesses of an operator, except names that occur in the modules already."""
        texts = [module.text for name, _ in self.entered for module in self.library.closure(name)]
        for number in count(first):
            name = f"{operator}_premise{number}"
            if not any(name in text for text in texts):
                yield name


def antecedents(formula: Expression, known: _Definitions | None = None) -> list[Expression]:
    r"""Return a witness for each implication of a formula, in the order of the text.

    They are looked for in the parts of conjunctions and disjunctions, after quantifiers, ``LET``, ``THEN``, ``ELSE``,
    ``[]`` and ``=>``; both sides of ``<=>`` are witnesses, and the left side of ``~>``; so is the filter of
    ``\A x \in {y \in S : A} :``, which is an implication in another form; all else is a leaf. A name that is ``known``
    has the witnesses of its definition.
    """
    match formula:
        case ast.Junction(_, items):
            return [witness for item in items for witness in antecedents(item, known)]
        case ast.Infix("/\\" | "\\/", left, right):
            return [*antecedents(left, known), *antecedents(right, known)]
        case ast.Quantification("\\A" | "\\E" as kind, bounds, body):
            filtered = kind == "\\A" and any(map(_is_filtered, bounds))
            within = antecedents(body, known) or ([_TRUE] if filtered else [])
            return [ast.Quantification("\\E", bounds, witness) for witness in within]
        case ast.If(condition, then, otherwise):
            return [
                *_under(condition, antecedents(then, known)),
                *_under(ast.Prefix("~", condition), antecedents(otherwise, known)),
            ]
        case ast.Let(definitions, body, recursive):
            own, inner = known.with_local(definitions) if known else (definitions, None)
            return [ast.Let(own, witness, recursive) for witness in antecedents(body, inner)]
        case ast.Infix("=>", left, right):
            return [left, *_under(left, antecedents(right, known))]
        case ast.Infix("<=>", left, _):
            return [left, ast.Prefix("~", left)]
        case ast.Infix("~>", left, _):
            return [left]
        case ast.Prefix("[]", ast.Boxed("[", action, _)):
            return antecedents(action, known)
        case ast.Prefix("[]", body):
            return antecedents(body, known)
    return known.inside(formula) if known else []


def _under(condition: Expression, found: Iterable[Expression]) -> list[Expression]:
    return [ast.joined("/\\", (condition, witness)) for witness in found]


def _is_filtered(bound: Bound) -> bool:
    return isinstance(bound.domain, ast.Filtered) or bound.domain == ast.Listed("{", ())


def _renamed(leaf: Expression, name: str) -> Expression:
    """Return a name, a call or an index of a name with another name in its place."""
    match leaf:
        case ast.Call(_, arguments):
            return ast.Call(name, arguments)
        case ast.Index(_, arguments):
            return ast.Index(ast.Name(name), arguments)
    return ast.Name(name)


def _same(expression: Expression) -> Expression:
    return expression


def _function(body: Expression) -> tuple[Expression, Callable[[Expression], Expression]]:
    """Return the value of a function, and a maker of functions with the same bounds; else the body and the identity."""
    if isinstance(body, ast.FunctionOf):
        return body.value, lambda value: ast.FunctionOf(body.bounds, value)
    return body, _same
