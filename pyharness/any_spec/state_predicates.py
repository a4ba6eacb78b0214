"""Which definitions of a module are predicates of states: by their level as SANY has it, and by their form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.modules.expressions import (
    Call,
    Case,
    If,
    Infix,
    Junction,
    Let,
    Literal,
    Name,
    Prefix,
    Quantified,
)
from pyharness.modules.module import STATE

if TYPE_CHECKING:
    from pyharness.modules.expressions import Expression
    from pyharness.modules.library import Library
    from pyharness.plain_models.plain_model import PlainModel

_SAY: Final = frozenset(
    ["/\\", "\\/", "\\land", "\\lor", "=>", "<=>", "\\equiv", "=", "#", "/=", "\\neq", "<", ">", "<=", "=<", ">=",
     "\\leq", "\\geq", "\\in", "\\notin", "\\subseteq", "\\subset", "\\supseteq", "\\supset"]
)  # fmt: skip
"""The infix operators whose result is a truth."""

_DEEPEST: Final = 20
"""So many names one after the other are followed."""


def state_predicates(model: PlainModel) -> tuple[str, ...]:
    """Return the names of what a module sees that is true or false of a state, without those that are checked."""
    library, module = model.library, model.module
    known = {*model.checked, *model.config.constraints, model.config.init}
    return tuple(
        name
        for name, definition in library.visible(module).items()
        if name not in known
        and not definition.parameters
        and definition.level == STATE
        and _is_truth(library, module, definition.body, _DEEPEST)
    )


def _is_truth(library: Library, module: str, formula: Expression, depth: int) -> bool:
    """Tell whether a formula is a truth by how it is written; what cannot be told is none."""

    def of(part: Expression) -> bool:
        return _is_truth(library, module, part, depth - 1)

    match formula:
        case Junction():
            return True
        case Infix(operator):
            return operator in _SAY
        case Prefix(operator):
            return operator in ("~", "\\lnot", "\\neg", "ENABLED")
        case Quantified(kind):
            return kind in ("\\A", "\\E")
        case Literal(text):
            return text in ("TRUE", "FALSE")
        case If(_, then, otherwise):
            return of(then) and of(otherwise)
        case Case(arms):
            return all(of(value) for _, value in arms)
        case Let(_, body):
            return of(body)
        case Name(name) | Call(name):
            return depth > 0 and library.defines(module, name) and of(library.definition(module, name).body)
    return False
