r"""Which formulas of a module a model follows: those that say ``Init /\ [][Next]_vars``, whatever is fair beside it.

A model is made of ``Init`` and ``Next``. Of a module whose own ``Spec`` says something else, it would check another
specification than the one that stands there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError
from pyharness.plan.formula_parts import bare, parts
from pyharness.plan.spec_graphs import ON_GRAPHS

if TYPE_CHECKING:
    from pyharness.plan.spec_modules import Library

__all__ = ["fairness_of", "require_followed"]

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_SPEC: Final = re.compile(r"\w*Spec\w*")
_BOX: Final = re.compile(r"\[\]\s*\[(.*)\]_(?:\w+|<<[^<>]*>>|\([^()]*\))", re.DOTALL)
_FAIR: Final = re.compile(r"\b[WS]F_")


def fairness_of(library: Library, spec: str, formula: str) -> tuple[str, ...] | None:
    r"""Return what a formula says is fair, beside ``Init /\ [][Next]_vars``; ``None`` if it says other things.

    That is the name of a definition, or a text.
    """
    prefix = library.prefix(spec)
    needed, fair = {f"{prefix}Init", f"[]{prefix}Next"}, []
    waiting, seen = [formula], set[str]()
    while waiting:
        part = bare(waiting.pop(0))
        conjuncts = parts(part, "/\\")
        box = _BOX.fullmatch(part)
        key = f"[]{bare(box[1])}" if box else part
        if len(conjuncts) > 1 and not part.startswith("\\A"):
            waiting = [*conjuncts, *waiting]
        elif key in needed:
            needed.discard(key)
        elif not part or part in seen:
            continue
        elif _FAIR.search(part):
            fair.append(" ".join(part.split()))
        elif _NAME.fullmatch(part) and library.defines(spec, part):
            seen.add(part)
            text = library.text_of(spec, part)
            if _FAIR.search(text) and not _BOX.search(text) and part != formula:
                fair.append(part)
            else:
                waiting.insert(0, text)
        else:
            return None
    return None if needed else tuple(fair)


def require_followed(library: Library, spec: str) -> None:
    """Require of a module what a model is made of, and that a model follows one of its own formulas, if it has any.

    Those are ``Spec`` and the like. Raises SpecError.
    """
    module = library.module(spec)
    if "topo" not in library.variables(spec):
        raise SpecError(f"{spec} has no variable topo", where=module.path.name, hint=ON_GRAPHS)
    prefix = library.prefix(spec)
    for name in (f"{prefix}Init", f"{prefix.lower()}vars"):
        if not library.defines(spec, name):
            raise SpecError(
                f"{spec} does not define {name}",
                where=module.path.name,
                hint=f"a model is made of {prefix}Init, {prefix}Next and {prefix.lower()}vars, all variables",
            )
    own = [
        name
        for name in module.definitions
        if _SPEC.fullmatch(name) and _says_what_happens(library, spec, name)
    ]
    if own and all(fairness_of(library, spec, name) is None for name in own):
        followed = f"{prefix}Init /\\ [][{prefix}Next]_{prefix.lower()}vars"
        raise SpecError(
            f"{own[0]} is not {followed}, and that is what a model follows",
            where=f"{module.path.name}:{module.definitions[own[0]]}",
            hint="name its parts Init, Next and vars, in this module: what is checked would be another specification",
        )


def _says_what_happens(library: Library, spec: str, name: str) -> bool:
    conjuncts = parts(bare(library.text_of(spec, name)), "/\\")
    return len(conjuncts) > 1 and any(_BOX.fullmatch(bare(each)) for each in conjuncts)
