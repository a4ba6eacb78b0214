r"""A next-state relation in which each action counts how often it is taken, for the run that checks it.

It is the relation that the spec defines, word for word, with ``/\ Taken(k)`` beside the k-th action, which is true and
adds one to a register. TLC's coverage counts the same, and besides every expression, which is dear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyharness.plan.spec_modules import Library

__all__ = ["CountedSteps", "counted_steps"]

_DISJUNCT: Final = re.compile(
    r"\s*(?:\\E\s+\w+(?:\s*,\s*\w+)*\s+\\in\s[^:]*:\s*)*(?P<call>(?P<name>[A-Za-z]\w*)(?:\([^()]*\))?)\s*",
    re.DOTALL,
)


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
    actions = library.actions(spec)
    begins, *disjuncts = library.text_of(spec, library.relation(spec)).split("\\/")
    counted, found = [], set[str]()
    if begins.strip():
        disjuncts.insert(0, begins)
    else:  # a list, which begins with the sign
        counted.append(begins)
    for disjunct in disjuncts:
        match = _DISJUNCT.fullmatch(disjunct)
        if match is None or match["name"] not in actions:
            return None
        found.add(match["name"])
        start, end = match.span("call")
        call = f"({match['call']} /\\ Taken({actions.index(match['name']) + 1}))"
        counted.append(disjunct[:start] + call + disjunct[end:])
    if found != set(actions):
        return None
    return CountedSteps(actions, "\\/".join(counted))
