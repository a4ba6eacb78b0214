r"""Facts about a formula and all definitions that it uses: its variables, its actions, and its level.

The actions of a next-state relation have the names that TLC gives to its steps. TLC goes down from the relation through
disjunctions, through ``\E`` over constant sets, and through calls with constant arguments. A formula that it cannot
decompose further is an action, and has the name of the definition that it stands in; a call with other arguments has
the name of the called definition.

The level distinguishes formulas about single states from those about steps and behaviours. TLC evaluates an invariant
in every state; a formula about states that is given as a property it evaluates in the initial states alone, without any
warning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.tla.modules import expressions as ast
from pyharness.tla.modules.module import ACTION, CONSTANT, TEMPORAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.library import Library


def used_variables(
    library: Library, module: str, expression: Expression, overrides: Mapping[str, str] | None = None
) -> frozenset[str]:
    """Return the variables of a module that an expression in it depends on.

    ``overrides`` maps operators to their replacements. An instance that is not known may depend on all variables.
    """
    return frozenset(_variables(library, module, ast.names_in(expression), overrides or {}, set()))


def _variables(
    library: Library,
    module: str,
    names: Iterable[str],
    overrides: Mapping[str, str],
    seen: set[tuple[str, str]],
) -> Iterator[str]:
    for used in dict.fromkeys(names):
        name = overrides.get(used, used)
        if "!" in name[:-1]:
            yield from _of_instance(library, module, name, overrides, seen)
        elif name in library.variables(module):
            yield name
        elif (module, name) not in seen and library.defines(module, name):
            seen.add((module, name))
            found = library.definition(module, name)
            yield from _variables(library, found.module, found.uses, overrides, seen)


def _of_instance(
    library: Library, module: str, used: str, overrides: Mapping[str, str], seen: set[tuple[str, str]]
) -> Iterator[str]:
    """Yield the variables that ``X!Op`` depends on; all variables of the module if it cannot be read."""
    found = library.of_instance(module, used)
    if found is None:
        yield from library.variables(module)
        return
    instance, definition = found
    for variable in set(_variables(library, definition.module, definition.uses, {}, set(seen))):
        value = instance.substitutions.get(variable)
        if value is not None:
            yield from _variables(library, module, ast.names_in(value), overrides, set(seen))


def next_actions(library: Library, module: str) -> tuple[str, ...]:
    """Return the names of the actions of a module's next-state relation, as TLC names its steps."""
    return library.once("actions", module, of=lambda: actions_of(library, module, library.relation(module)))


def actions_of(library: Library, module: str, relation: str) -> tuple[str, ...]:
    """Return the names of the actions of the definition ``relation`` of a module, in the order of its text."""
    body = library.definition(module, relation).body
    return tuple(dict.fromkeys(_actions(library, module, body, relation, frozenset({relation}))))


def _actions(
    library: Library, module: str, formula: Expression, name: str, within: frozenset[str]
) -> Iterator[str]:
    """Yield the names of the actions of a formula that stands in the definition ``name``."""

    def are_constant(values: Iterable[Expression | None]) -> bool:
        return not any(value is not None and used_variables(library, module, value) for value in values)

    match formula:
        case ast.Junction("\\/", items):
            for item in items:
                yield from _actions(library, module, item, name, within)
        case ast.Infix("\\/", left, right):
            yield from _actions(library, module, left, name, within)
            yield from _actions(library, module, right, name, within)
        case ast.Quantification("\\E", bounds, body) if are_constant(bound.domain for bound in bounds):
            yield from _actions(library, module, body, name, within)
        case ast.Let(_, body):
            yield from _actions(library, module, body, name, within)
        case ast.Name(called) | ast.Call(called, _) if called not in within and library.defines(
            module, called
        ):
            arguments = formula.arguments if isinstance(formula, ast.Call) else ()
            if are_constant(arguments):
                body = library.definition(module, called).body
                yield from _actions(library, module, body, called, within | {called})
            else:
                yield called
        case _:
            yield name


_TEMPORAL: Final = frozenset({"[]", "<>", "~>", "-+->", "\\AA", "\\EE"})


def is_about_states(library: Library, module: str, name: str) -> bool:
    """Return whether the formula ``name`` of a module is about states only, down to all definitions that it uses.

    A formula about steps without "always" (``x' = x``) counts as such: TLC refuses it wherever it stands.
    """
    return about_states_only(library, module, ast.Name(name))


def about_states_only(library: Library, module: str, formula: Expression) -> bool:
    """Return whether a formula, written for a module, is about states only, with all definitions that it uses."""
    return level_of(library, module, formula) < TEMPORAL


def level_of(library: Library, module: str, formula: Expression) -> int:
    """Return the level of a formula written for a module: 2 if it is about steps, 3 about behaviours, less for states."""
    match formula:
        case ast.Fair():
            return TEMPORAL
        case ast.Prefix(operator, _) | ast.Infix(operator, _, _) | ast.Quantification(operator, _, _) if (
            operator in _TEMPORAL
        ):
            return TEMPORAL
        case ast.Prefix("ENABLED", _):
            return CONSTANT
        case ast.Prime() | ast.Boxed() | ast.Prefix("UNCHANGED", _):
            return ACTION
    inner = [level_of(library, module, part) for part in ast.parts_of(formula)]
    return max([CONSTANT, *inner, *(_of_name(library, module, name) for name in ast.own_names(formula))])


def _of_name(library: Library, module: str, name: str) -> int:
    if "!" in name[:-1]:
        found = library.of_instance(module, name)
        return found[1].level if found is not None else CONSTANT
    return library.definition(module, name).level if library.defines(module, name) else CONSTANT
