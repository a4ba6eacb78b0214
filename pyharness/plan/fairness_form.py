r"""Whether a spec's Fairness is one: WF and SF of its own actions, also under a condition, and nothing else.

Such a condition can be met from every state on. One that cannot be, ``<>[]FALSE`` or the fairness of an action that is
none of the next-state relation, leaves no behaviour, and of none everything holds: TLC finds no error in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError
from pyharness.plan.formula_parts import bare, parts
from pyharness.plan.next_actions import actions_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.plan.spec_modules import Library

__all__ = ["unfair"]

_FAIR: Final = re.compile(r"[WS]F_(?:\w+|<<[^<>]*>>|\([^()]*\))\s*\((.*)\)", re.DOTALL)
_NAME: Final = re.compile(r"([A-Za-z_]\w*)(?:\s*\(.*\))?", re.DOTALL)
_WORD: Final = re.compile(r"[A-Za-z_]\w*")


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
        named = _WORD.findall(library.text_of(spec, relation))
        self._actions = {own, relation, *actions_of(library, spec, relation), *named}

    def wrong(self, formula: str, seen: frozenset[str]) -> str | None:
        """Return the first part of a formula that is no fairness of an action."""
        formula = bare(formula)
        conjuncts = parts(formula, "/\\")
        if formula.startswith("\\A"):
            return self.wrong(parts(formula, ":", most=1)[-1], seen)
        if len(conjuncts) > 1:
            return next((found for part in conjuncts if (found := self.wrong(part, seen))), None)
        under = parts(formula, "=>", most=1)
        if len(under) > 1:  # weaker than what it is about, so it can be met where that can
            return self.wrong(under[1], seen)
        if (fair := _FAIR.fullmatch(formula)) and parts(fair[1], ")") == [fair[1]]:
            return None if self._is_step(fair[1], seen) else " ".join(formula.split())
        text = self._definition(formula, seen)
        if text is None:
            return " ".join(formula.split())
        return self.wrong(text, seen | {formula})

    def _is_step(self, action: str, seen: frozenset[str]) -> bool:
        """Tell whether each way to take an action is one of an action of the next-state relation."""
        action = bare(action)
        if action.startswith("\\E"):
            return self._is_step(parts(action, ":", most=1)[-1], seen)
        ways = parts(action, "\\/")
        if len(ways) > 1:
            return all(self._is_step(way, seen) for way in ways)
        conjuncts = parts(action, "/\\")
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
