r"""The actions of a next-state relation, by the names that TLC gives to its steps.

TLC goes down from the relation through disjunctions, through ``\E`` over constant sets, and through calls with constant
arguments. What it meets there and cannot go down further is an action, and has the name of the definition that it
stands in; a call with other arguments has the name of what is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.modules.expressions import Call, Infix, Junction, Let, Name, Quantified
from pyharness.modules.used_variables import used_variables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyharness.modules.expressions import Expression
    from pyharness.modules.library import Library


def next_actions(library: Library, module: str) -> tuple[str, ...]:
    """Name the actions of a module's next-state relation, as TLC names its steps."""
    return library.once("actions", module, of=lambda: actions_of(library, module, library.relation(module)))


def actions_of(library: Library, module: str, relation: str) -> tuple[str, ...]:
    """Name the actions of the definition ``relation`` of a module, in the order in which they stand there."""
    body = library.definition(module, relation).body
    return tuple(dict.fromkeys(_actions(library, module, body, relation, frozenset({relation}))))


def _actions(
    library: Library, module: str, formula: Expression, name: str, within: frozenset[str]
) -> Iterator[str]:
    """Yield the names of the actions of a formula that stands in the definition ``name``."""

    def are_constant(values: Iterable[Expression | None]) -> bool:
        return not any(value is not None and used_variables(library, module, value) for value in values)

    match formula:
        case Junction("\\/", items):
            for item in items:
                yield from _actions(library, module, item, name, within)
        case Infix("\\/", left, right):
            yield from _actions(library, module, left, name, within)
            yield from _actions(library, module, right, name, within)
        case Quantified("\\E", bounds, body) if are_constant(bound.domain for bound in bounds):
            yield from _actions(library, module, body, name, within)
        case Let(_, body):
            yield from _actions(library, module, body, name, within)
        case Name(called) | Call(called, _) if called not in within and library.defines(module, called):
            arguments = formula.arguments if isinstance(formula, Call) else ()
            if are_constant(arguments):
                body = library.definition(module, called).body
                yield from _actions(library, module, body, called, within | {called})
            else:
                yield called
        case _:
            yield name
