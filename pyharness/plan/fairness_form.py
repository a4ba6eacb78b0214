r"""Whether a spec's Fairness is one: WF and SF of its own actions, also under a condition, and nothing else.

Such a condition can be met from every state on. One that cannot be, ``<>[]FALSE`` or the fairness of an action that is
none of the next-state relation, leaves no behaviour, and of none everything holds: TLC finds no error in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.errors import SpecError
from pyharness.modules.expression_text import on_one_line
from pyharness.modules.expressions import Call, Fair, Infix, Name, Quantified, names_in, row
from pyharness.modules.formula_facts import actions_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.modules.expressions import Expression
    from pyharness.modules.library import Library


def unfair(library: Library, spec: str, overrides: Mapping[str, str]) -> str | None:
    """Return the part of a spec's Fairness that is no fairness of an action of the spec, or ``None``.

    ``overrides`` say what stands in for which operator. Raises SpecError for a spec that defines no Fairness.
    """
    name = f"{library.prefix(spec)}Fairness"
    if not library.defines(spec, name):
        raise SpecError(f"{spec} does not define {name}")
    return _Reader(library, spec, overrides).wrong(Name(name), frozenset())


class _Reader:
    def __init__(self, library: Library, spec: str, overrides: Mapping[str, str]) -> None:
        self._library = library
        self._spec = spec
        self._overrides = overrides
        own = library.relation(spec)
        relation = overrides.get(own, own)
        named = names_in(library.definition(spec, relation).body)
        self._actions = {own, relation, *actions_of(library, spec, relation), *named}

    def wrong(self, formula: Expression, seen: frozenset[str]) -> str | None:
        """Return the first part of a formula that is no fairness of an action."""
        match formula:
            case Quantified("\\A", _, body):
                return self.wrong(body, seen)
            case Infix("=>", _, body):  # weaker than what it is about, so it can be met where that can
                return self.wrong(body, seen)
            case Fair(_, _, action):
                return None if self._is_step(action, seen) else on_one_line(formula)
            case Name(name) | Call(name, _) if (meant := self._body(name, seen)) is not None:
                return self.wrong(meant, seen | {name})
        conjuncts = row("/\\", formula)
        if conjuncts == (formula,):
            return on_one_line(formula)
        return next((found for part in conjuncts if (found := self.wrong(part, seen))), None)

    def _is_step(self, action: Expression, seen: frozenset[str]) -> bool:
        """Tell whether each way to take an action is one of an action of the next-state relation."""
        match action:
            case Quantified("\\E", _, body):
                return self._is_step(body, seen)
            case Name(name) | Call(name, _):
                if name in self._actions:
                    return True
                meant = self._body(name, seen)
                return meant is not None and self._is_step(meant, seen | {name})
        ways, conjuncts = row("\\/", action), row("/\\", action)
        if ways != (action,):
            return all(self._is_step(way, seen) for way in ways)
        return conjuncts != (action,) and any(self._is_step(each, seen) for each in conjuncts)

    def _body(self, name: str, seen: frozenset[str]) -> Expression | None:
        """Return what a name stands for, unless it is one that was ``seen`` or no definition."""
        meant = self._overrides.get(name, name)
        if name in seen or not self._library.defines(self._spec, meant):
            return None
        return self._library.definition(self._spec, meant).body
