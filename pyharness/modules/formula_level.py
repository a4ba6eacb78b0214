"""Whether a formula is about single states, or about steps and whole behaviours.

TLC takes the former as an invariant, and evaluates it in every state. Where it is asked for it as a property, it does
so in the initial states alone, and says not a word of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyharness.modules.expressions import (
    Fair,
    Infix,
    Name,
    Prefix,
    Prime,
    Quantified,
    Step,
    own_names,
    parts_of,
)
from pyharness.modules.module import ACTION, CONSTANT, TEMPORAL

if TYPE_CHECKING:
    from pyharness.modules.expressions import Expression
    from pyharness.modules.library import Library

_TEMPORAL: Final = frozenset({"[]", "<>", "~>", "-+->", "\\AA", "\\EE"})


def is_about_states(library: Library, module: str, name: str) -> bool:
    """Tell whether the formula ``name`` of a module speaks of states only, down to all definitions that it uses.

    What is about steps without saying "always" (``x' = x``) counts as such: TLC refuses it wherever it stands.
    """
    return says_states_only(library, module, Name(name))


def says_states_only(library: Library, module: str, formula: Expression) -> bool:
    """Tell the same of a formula that stands in a module, or could."""
    return level_of(library, module, formula) < TEMPORAL


def level_of(library: Library, module: str, formula: Expression) -> int:
    """Return the level of a formula that stands in a module, or could: 2 if it is about steps, 3 about behaviours.

    Of what is about states only, it is 1 or less.
    """
    match formula:
        case Fair():
            return TEMPORAL
        case Prefix(operator, _) | Infix(operator, _, _) | Quantified(operator, _, _) if (
            operator in _TEMPORAL
        ):
            return TEMPORAL
        case Prefix("ENABLED", _):
            return CONSTANT
        case Prime() | Step() | Prefix("UNCHANGED", _):
            return ACTION
    inner = [level_of(library, module, part) for part in parts_of(formula)]
    return max([CONSTANT, *inner, *(_of_name(library, module, name) for name in own_names(formula))])


def _of_name(library: Library, module: str, name: str) -> int:
    if "!" in name[:-1]:
        found = library.of_instance(module, name)
        return found[1].level if found is not None else CONSTANT
    return library.definition(module, name).level if library.defines(module, name) else CONSTANT
