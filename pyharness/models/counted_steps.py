r"""A next-state relation in which each action counts how often it is taken, for the run that checks it.

It is the relation that the spec defines, with ``/\ Taken(k)`` beside the k-th action, which is true and adds one to a
register. TLC's coverage counts the same, and besides every expression, which is dear.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyharness.tla.modules.expression_text import expression_text
from pyharness.tla.modules.expressions import Call, Infix, Junction, Literal, Name, Quantification
from pyharness.tla.modules.formula_facts import next_actions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.library import Library


@dataclass(frozen=True, slots=True)
class CountedSteps:
    """The ``actions`` of a relation, the k-th of which is beside ``Taken(k)`` in ``text``, its right-hand side."""

    actions: tuple[str, ...]
    text: str


def counted_steps(library: Library, spec: str) -> CountedSteps | None:
    r"""Return the next-state relation of a spec with each of its actions counted.

    It must be actions, each with parameters or without, each behind ``\E x \in S :`` or not, with ``\/`` between them,
    and no more: of whatever else, ``None``.
    """
    actions = next_actions(library, spec)
    found = set[str]()
    counted = _counted(library.definition(spec, library.relation(spec)).body, actions, found)
    if counted is None or found != set(actions):
        return None
    return CountedSteps(actions, "  " + expression_text(counted, 2))


def _counted(formula: Expression, actions: Sequence[str], found: set[str]) -> Expression | None:
    """Return a formula with its actions counted, which are noted as ``found``."""
    match formula:
        case Junction("\\/", items):
            inner = [_counted(item, actions, found) for item in items]
            return Junction("\\/", tuple(i for i in inner if i is not None)) if None not in inner else None
        case Infix("\\/", left, right):
            first, second = _counted(left, actions, found), _counted(right, actions, found)
            return None if first is None or second is None else Infix("\\/", first, second)
        case Quantification("\\E", _, body):
            behind = _counted(body, actions, found)
            return None if behind is None else replace(formula, body=behind)
        case Name(name) | Call(name, _) if name in actions:
            found.add(name)
            taken = Call("Taken", (Literal(str(actions.index(name) + 1)),))
            return Infix("/\\", formula, taken)
    return None
