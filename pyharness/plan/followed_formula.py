"""Which formulas of a module a model follows, and whether it runs on graphs at all.

A model is made of ``Init`` and ``Next``. Of a module whose own ``Spec`` says something else, it would check another
specification than the one that stands there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError
from pyharness.modules.expression_text import on_one_line
from pyharness.modules.expressions import Fair, Name, Prefix, Step, row, within

if TYPE_CHECKING:
    from pyharness.modules.expressions import Expression
    from pyharness.modules.library import Library


NO_GRAPHS: Final = "extends no module that runs on graphs, and every model here is about some"
"""What to say of such a spec, after its name."""

ON_GRAPHS: Final = "extend a shipped protocol, or Colours, or Application and declare the variable topo"
"""What to do about it."""


def runs_on_graphs(library: Library, spec: str) -> bool:
    """Tell whether a module has the constant ``Graphs``, which is that of ``Application``."""
    return "Graphs" in library.constants(spec)


def require_graphs(library: Library, spec: str) -> None:
    """Raise SpecError for a module that runs on no graphs: TLC would complain of a module that nobody wrote."""
    if not runs_on_graphs(library, spec):
        raise SpecError(f"{spec} {NO_GRAPHS}", where=library.path(spec).name, hint=ON_GRAPHS)


_SPEC: Final = re.compile(r"\w*Spec\w*")


def fairness_of(library: Library, spec: str, formula: Expression) -> tuple[str, ...] | None:
    r"""Return what a formula says is fair, beside ``Init /\ [][Next]_vars``; ``None`` if it says other things.

    That is the name of a definition, or a text.
    """
    prefix = library.prefix(spec)
    needed, fair = {f"{prefix}Init", f"{prefix}Next"}, []
    waiting, seen = [formula], set[object]()
    while waiting:
        part = waiting.pop(0)
        conjuncts = row("/\\", part)
        match part:
            case _ if len(conjuncts) > 1 or conjuncts[0] != part:
                waiting = [*conjuncts, *waiting]
            case Prefix("[]", Step("[", Name(said), _)) | Name(said) if said in needed:
                needed.discard(said)
            case _ if part in seen:
                continue
            case _ if _is_fairness(part):
                fair.append(on_one_line(part))
            case Name(name) if library.defines(spec, name):
                seen.add(part)
                body = library.definition(spec, name).body
                if _is_fairness(body) and not _has_box(body) and part != formula:
                    fair.append(name)
                else:
                    waiting.insert(0, body)
            case _:
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
    own = [d for d in module.definitions.values() if _SPEC.fullmatch(d.name) and _says_what_happens(d.body)]
    if own and all(fairness_of(library, spec, Name(each.name)) is None for each in own):
        followed = f"{prefix}Init /\\ [][{prefix}Next]_{prefix.lower()}vars"
        raise SpecError(
            f"{own[0].name} is not {followed}, and that is what a model follows",
            where=f"{module.path.name}:{own[0].line}",
            hint="name its parts Init, Next and vars, in this module: what is checked would be another specification",
        )


def _says_what_happens(formula: Expression) -> bool:
    conjuncts = row("/\\", formula)
    return len(conjuncts) > 1 and any(
        isinstance(each, Prefix) and isinstance(each.body, Step) for each in conjuncts
    )


def _is_fairness(formula: Expression) -> bool:
    return any(isinstance(part, Fair) for part in within(formula))


def _has_box(formula: Expression) -> bool:
    return any(isinstance(part, Step) for part in within(formula))
