r"""Rewrite a next-state relation so that a model counts its actions in TLC's registers, or reports each action's arguments.

The relation is the user's, with ``/\ PyharnessTaken(k)`` added to each action, which is true and adds one to a register;
a part that is never taken prints all registers. The states in which all invariants hold are counted, too. Or each action
records its number and arguments in a variable. Such a conjunction is a definition named ``PyharnessTakes`` and the action,
so that a state graph names each step. Actions are found as TLC finds them, and have the same names: through ``\/``,
through ``\E`` over constant sets, and through calls with constant arguments (:mod:`pyharness.tla.modules.formula_facts`).
Properties and fairness keep the user's own actions, which count nothing.

If it is not certain that the rewritten relation is the same, none is made, and TLC's coverage is used instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.tla.modules import expressions as ast
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.formula_facts import used_variables
from pyharness.tla.modules.module import CONSTANT, TEMPORAL
from pyharness.tla.plain_models.plain_model import OWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.module import Definition
    from pyharness.tla.plain_models.config_file import ConfigFile
    from pyharness.tla.plain_models.plain_model import PlainModel

_FIRST: Final = 6000
"""The register of the initial states; those of the actions and of all invariants follow, and below 7000 are free."""

TAKES: Final = f"{OWN}Takes"
"""The prefix, before an action's name, of the definition that counts it."""

_CALL: Final = f"{OWN}Step"
"""The variable that holds the number of an action and its arguments."""

_TAKEN: Final = re.compile(rf'<<"{OWN}Taken", (\d+), (\d+)>>')
_REGISTERS: Final = re.compile(r'\bTLCSet\b|\bTLCGet\b(?!\s*\(\s*")')
"""Operators that may use a register by its number: in a module with them, the registers here may not be free."""


class Counts(NamedTuple):
    """The number of ``initial`` states, with repetitions, and the number of times each action was ``taken``.

    ``held`` is the number of times all invariants were true.
    """

    initial: int
    taken: tuple[int, ...]
    held: int

    def add_up(self, generated: int | None, distinct: int | None) -> bool:
        """Return whether these are all states that TLC ``generated``, and invariants held in all ``distinct`` ones."""
        return bool(distinct) and self.initial + sum(self.taken) == generated and self.held >= (distinct or 0)


@dataclass(frozen=True, slots=True)
class CountedRelation:
    """A relation that counts its actions: ``lines`` define it, ``config`` names it, ``actions`` are in TLC's order.

    It is ``named`` if each action has a name of its own.
    """

    actions: tuple[Definition, ...]
    lines: tuple[str, ...]
    config: ConfigFile
    named: bool

    def counts(self, output: str) -> Counts | None:
        """Return the last counts in a run's ``output``, final if it ended by itself; ``None`` if some are missing."""
        found = {int(m[1]) - _FIRST: int(m[2]) for m in map(_TAKEN.fullmatch, output.splitlines()) if m}
        if found.keys() != set(range(len(self.actions) + 2)):
            return None
        initial, *taken, held = (found[number] for number in sorted(found))
        return Counts(initial, tuple(taken), held)


@dataclass(frozen=True, slots=True)
class NamedRelation:
    """A relation that reports the arguments of each action: its ``formula``, and the ``lines`` that it needs.

    Each step sets the variable ``call`` to the number of the action, from 1, and its arguments; ``called`` is
    whether some action has arguments. ``actions`` are names, in the order of their numbers. ``config`` names the model
    of this relation, which the lines ``begun`` define.
    """

    call: str
    called: bool
    actions: tuple[str, ...]
    lines: tuple[str, ...]
    formula: str
    begun: tuple[str, ...]
    config: ConfigFile


def named_relation(model: PlainModel) -> NamedRelation | None:
    """Return the relation of a model in which each action reports its arguments; ``None`` for another form."""
    try:
        return _RelationReader(model, _named_step).named()
    except _OtherFormError:
        return None


def _named_step(number: int, arguments: tuple[Expression, ...]) -> Expression:
    return ast.Infix(
        "=", ast.Prime(ast.Name(_CALL)), ast.Listed("<<", (ast.Literal(str(number)), *arguments))
    )


def _taken(number: int, _: tuple[Expression, ...]) -> Expression:
    return ast.Call(f"{OWN}Taken", (ast.Literal(str(_FIRST + number)),))


def counted_relation(model: PlainModel) -> CountedRelation | None:
    """Return the relation of a model with its actions counted; ``None`` if it has another form."""
    texts = [each.text for each in model.library.closure(model.module, instances=True)]
    if any(map(_REGISTERS.search, (*texts, *model.definitions))):
        return None
    try:
        return _RelationReader(model, _taken).counted()
    except _OtherFormError:
        return None


class _Counted(NamedTuple):
    """A ``formula`` that counts its actions, the names of these, and whether each is ``named`` in it."""

    formula: Expression
    owners: frozenset[str]
    named: bool


class _OtherFormError(Exception):
    """The relation has another form: a counted one might not be the same relation."""


class _RelationReader:
    """Reads the relation of a model; ``mark`` makes the conjunct added to an action from its number and arguments."""

    def __init__(self, model: PlainModel, mark: Callable[[int, tuple[Expression, ...]], Expression]) -> None:
        self._model = model
        self._mark = mark
        self._library = model.library
        self._given = {each.name for each in model.config.constants}
        self._apart = {each.of for each in model.config.constants}
        self._actions: list[Definition] = []
        self._parts: dict[str, tuple[Definition, str]] = {}
        self._with_arguments = False

    def counted(self) -> CountedRelation:
        """Return the relation that counts its actions. Raises :class:`_OtherFormError`."""
        module, config = self._model.module, self._model.config
        if any(self._definition(module, name).level == CONSTANT for name in config.invariants):
            raise _OtherFormError
        relation, entry, config = self._begun(f"{OWN}Taken({_FIRST})")
        steps = self._steps(relation)
        text = on_one_line(steps.formula)
        last = _FIRST + len(self._actions) + 1
        if last >= _FIRST + 1000:
            raise _OtherFormError
        first = self._model.variables[0]  # without an invariant this depends on a variable, too
        holds = " /\\ ".join([f"{first} = {first}", *config.invariants])
        lines = [
            f"ASSUME {OWN}CountFrom({_FIRST}, {last})",
            *(text for _, text in self._parts.values()),
            f"{OWN}Next == {OWN}Looks \\/ ({text}) \\/ {OWN}Looked({_FIRST}, {last})",
            entry,
            f"{OWN}Holds == {holds} /\\ {OWN}Taken({last})",
        ]
        return CountedRelation(
            tuple(self._actions), tuple(lines), replace(config, invariants=(f"{OWN}Holds",)), steps.named
        )

    def named(self) -> NamedRelation:
        """Return the relation that reports the arguments of each action. Raises :class:`_OtherFormError`."""
        relation, entry, config = self._begun(f"{_CALL} = << >>")
        formula = on_one_line(self._steps(relation).formula)
        actions, parts = (each.name for each in self._actions), (text for _, text in self._parts.values())
        begun = (f"VARIABLE {_CALL}", f"{OWN}Next == {formula}", entry)
        return NamedRelation(
            _CALL, self._with_arguments, tuple(actions), tuple(parts), formula, begun, config
        )

    def _begun(self, also: str) -> tuple[str, str, ConfigFile]:
        """Return the relation's name, a definition with ours in its place and ``also`` in Init, and its configuration."""
        config = self._model.config
        if config.specification:
            relation, spec = self._specification(config.specification)
            config = replace(config, specification=f"{OWN}Spec")
            return relation, f"{OWN}Spec == {spec} /\\ {also}", config
        own = replace(config, init=f"{OWN}Init", next=f"{OWN}Next")
        return config.next, f"{OWN}Init == {config.init} /\\ {also}", own

    def _steps(self, relation: str) -> _Counted:
        return self._called(ast.Name(relation), self._definition(self._model.module, relation))

    def _definition(self, module: str, name: str) -> Definition:
        """Return the definition of a name in a module. Raises :class:`_OtherFormError` if it is replaced or none."""
        if name in self._given or not self._library.defines(module, name):
            raise _OtherFormError
        return self._library.definition(module, name)

    def _specification(self, name: str) -> tuple[str, str]:
        """Return the name of the relation in a specification, and the formula with the counted one in its place."""
        relations: list[str] = []
        items: list[Expression] = []
        for item in self._conjuncts(self._model.module, name):
            match item:
                case ast.Prefix("[]", ast.Boxed("[", ast.Name(relation), subscript)):
                    relations.append(relation)
                    items.append(ast.Prefix("[]", ast.Boxed("[", ast.Name(f"{OWN}Next"), subscript)))
                case _:
                    items.append(item)
        if len(relations) != 1:
            raise _OtherFormError
        return relations[0], " /\\ ".join(f"({on_one_line(item)})" for item in items)

    def _conjuncts(self, module: str, name: str) -> Iterable[Expression]:
        """Yield the conjuncts of a specification, unfolding definitions down to the one with the relation."""
        found = self._definition(module, name)
        self._require_same(found, found.body)
        for item in ast.row("/\\", found.body):
            inner = (
                item.name if isinstance(item, ast.Name) and self._library.defines(module, item.name) else ""
            )
            if inner and self._library.definition(module, inner).level == TEMPORAL:
                yield from self._conjuncts(module, inner)
            else:
                yield from ast.row("/\\", item)

    def _called(
        self, formula: ast.Name | ast.Call, called: Definition, within: frozenset[str] = frozenset()
    ) -> _Counted:
        """Return a call with its actions counted: as one if the definition is one action, and else those of its body."""
        if called.name in within or any("(" in parameter for parameter in called.parameters):
            raise _OtherFormError
        body = self._counted(called.body, called, within | {called.name})
        if body.owners == {called.name}:
            return self._taken(formula, called)
        self._require_same(called, called.body)
        return body._replace(formula=self._part(f"{OWN}Of{called.name}", formula, called, body.formula))

    def _part(
        self, name: str, formula: ast.Name | ast.Call, called: Definition, body: Expression
    ) -> Expression:
        """Define a part of this name and body to replace the definition that a formula calls; return a call of the part."""
        text = f"{name}{called.bracketed} == {on_one_line(body)}"
        if self._parts.setdefault(name, (called, text)) != (called, text):
            raise _OtherFormError
        return ast.Name(name) if isinstance(formula, ast.Name) else ast.Call(name, formula.arguments)

    def _counted(self, formula: Expression, owner: Definition, within: frozenset[str]) -> _Counted:
        """Return a formula with its actions counted; TLC names those without a name after the definition ``owner``."""
        library = self._library

        def are_constant(values: Iterable[Expression | None]) -> bool:
            return not any(v is not None and used_variables(library, owner.module, v) for v in values)

        match formula:
            case ast.Junction("\\/", items):
                counted = [self._counted(item, owner, within) for item in items]
                return _Counted(
                    replace(formula, items=tuple(each.formula for each in counted)),
                    frozenset().union(*(each.owners for each in counted)),
                    all(each.named for each in counted),
                )
            case ast.Infix("\\/", left, right):
                first, second = self._counted(left, owner, within), self._counted(right, owner, within)
                return _Counted(
                    replace(formula, left=first.formula, right=second.formula),
                    first.owners | second.owners,
                    first.named and second.named,
                )
            case ast.Quantification("\\E", bounds, body) if are_constant(bound.domain for bound in bounds):
                inner = self._counted(body, owner, within)
                return inner._replace(formula=replace(formula, body=inner.formula))
            case ast.Name(name) | ast.Call(name, _):
                called = self._definition(owner.module, name)
                if are_constant(formula.arguments if isinstance(formula, ast.Call) else ()):
                    return self._called(formula, called, within)
                return self._taken(formula, called)
            case ast.Let(_, body) if self._counted(body, owner, within).owners != {owner.name}:
                raise _OtherFormError
            case ast.Member():
                raise _OtherFormError
        return self._taken(formula, owner)

    def _taken(self, formula: Expression, action: Definition) -> _Counted:
        """Return a formula with a conjunct that counts how often its action is taken."""
        if action not in self._actions:
            self._actions.append(action)
        number, owners = 1 + self._actions.index(action), frozenset({action.name})
        plain = not any("(" in parameter for parameter in action.parameters)
        if plain and isinstance(formula, ast.Name | ast.Call) and formula.name == action.name:
            given = tuple(map(ast.Name, action.parameters))
            self._with_arguments |= bool(given)
            own = ast.Call(action.name, given) if given else ast.Name(action.name)
            marked = ast.Infix("/\\", own, self._mark(number, given))
            return _Counted(self._part(f"{TAKES}{action.name}", formula, action, marked), owners, named=True)
        return _Counted(ast.Infix("/\\", formula, self._mark(number, ())), owners, named=False)

    def _require_same(self, owner: Definition, formula: Expression) -> None:
        """Require that the names in a formula of a definition mean the same in the root module."""
        library, own, root = self._library, owner.module, self._model.module
        if own in self._apart:  # a constant has another value there
            raise _OtherFormError
        for name in ast.names_in(formula):
            first = name.partition("!")[0]
            if library.visible(own).get(first) is not library.visible(root).get(first):
                raise _OtherFormError
            if library.instance(own, first) is not library.instance(root, first):
                raise _OtherFormError
