r"""Whether a spec's Fairness is one: WF and SF of its own actions, also under a condition, and nothing else.

Such a condition can be met from every state on. One that cannot be, ``<>[]FALSE`` or the fairness of an action that is
none of the next-state relation, leaves no behaviour, and of none everything holds: TLC finds no error in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.plan.spec_modules import Library

__all__ = ["unfair"]

_FAIR: Final = re.compile(r"[WS]F_(?:\w+|<<[^<>]*>>|\([^()]*\))\s*\((.*)\)", re.DOTALL)
_NAME: Final = re.compile(r"([A-Za-z_]\w*)(?:\s*\(.*\))?", re.DOTALL)
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_TOKEN: Final = re.compile(r"<=>|=>|/\\|\\/|<<|>>|[()\[\]{}:]|\\[A-Za-z]+|\w+|.", re.DOTALL)
_OPEN, _CLOSE = ("(", "[", "{", "<<"), (")", "]", "}", ">>")


def unfair(library: Library, spec: str, overrides: Mapping[str, str]) -> str | None:
    """Return the part of a spec's Fairness that is no fairness of an action of the spec, or ``None``.

    ``overrides`` say what stands in for which operator. Raises SpecError for a spec that defines no Fairness.
    """
    name = f"{library.prefix(spec)}Fairness"
    if not library.defines(spec, name):
        raise SpecError(f"{spec} does not define {name}")
    return _Reader(library, spec, overrides).wrong(name, frozenset())


class _Reader:
    def __init__(self, library: Library, spec: str, overrides: Mapping[str, str]) -> None:
        self._library = library
        self._spec = spec
        self._overrides = overrides
        own = library.relation(spec)
        relation = overrides.get(own, own)
        self._actions = {own, relation, *_WORD.findall(library.text_of(spec, relation))}

    def wrong(self, formula: str, seen: frozenset[str]) -> str | None:
        """Return the first part of a formula that is no fairness of an action."""
        formula = _bare(formula)
        parts = _parts(formula, "/\\")
        if formula.startswith("\\A"):
            return self.wrong(_parts(formula, ":", most=1)[-1], seen)
        if len(parts) > 1:
            return next((found for part in parts if (found := self.wrong(part, seen))), None)
        under = _parts(formula, "=>", most=1)
        if len(under) > 1:  # weaker than what it is about, so it can be met where that can
            return self.wrong(under[1], seen)
        if (fair := _FAIR.fullmatch(formula)) and _parts(fair[1], ")") == [fair[1]]:
            return None if self._is_step(fair[1], seen) else " ".join(formula.split())
        text = self._definition(formula, seen)
        if text is None:
            return " ".join(formula.split())
        return self.wrong(text, seen | {formula})

    def _is_step(self, action: str, seen: frozenset[str]) -> bool:
        """Tell whether each way to take an action is one of an action of the next-state relation."""
        action = _bare(action)
        if action.startswith("\\E"):
            return self._is_step(_parts(action, ":", most=1)[-1], seen)
        ways = _parts(action, "\\/")
        if len(ways) > 1:
            return all(self._is_step(way, seen) for way in ways)
        conjuncts = _parts(action, "/\\")
        if len(conjuncts) > 1:
            return any(self._is_step(each, seen) for each in conjuncts)
        call = _NAME.fullmatch(action)
        if call is None:
            return False
        if call[1] in self._actions:
            return True
        text = self._definition(action, seen)
        return text is not None and self._is_step(text, seen | {action})

    def _definition(self, formula: str, seen: frozenset[str]) -> str | None:
        """Return what a name, or a call of one, stands for; ``None`` for anything else."""
        call = _NAME.fullmatch(formula)
        if call is None or formula in seen:
            return None
        name = self._overrides.get(call[1], call[1])
        return self._library.text_of(self._spec, name) if self._library.defines(self._spec, name) else None


def _bare(formula: str) -> str:
    """Return a formula without brackets around all of it, and without the bullet that it begins with."""
    formula = formula.strip()
    while True:
        if formula.startswith(("/\\", "\\/")):
            formula = formula[2:].lstrip()
        elif (
            formula.startswith("(")
            and formula.endswith(")")
            and _parts(formula[1:-1], ")") == [formula[1:-1]]
        ):
            formula = formula[1:-1].strip()
        else:
            return formula


def _parts(text: str, at: str, most: int | None = None) -> list[str]:
    """Split at each ``at`` outside all brackets, or at the first ones; a bracket that was not opened counts, too."""
    parts: list[str] = []
    begin = depth = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if depth == 0 and token == at and (most is None or len(parts) < most):
            parts.append(text[begin : match.start()])
            begin = match.end()
        depth += (token in _OPEN) - (token in _CLOSE)
    return [*parts, text[begin:]]
