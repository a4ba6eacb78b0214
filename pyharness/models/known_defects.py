"""Shapes of formulas that a build of TLC is known to evaluate wrongly: where one stands, nothing violated is no pass.

The numbers are those of issues of github.com/tlaplus/tlaplus. Builds up to 2.15 have the defects; later ones do not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyharness.tla.modules.expressions import Call, Except, Fair, FunctionOf, Lambda, Name, names_in, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.library import Library
    from pyharness.tla.modules.module import Definition
    from pyharness.tla.plain_models.plain_model import PlainModel

_OLD: Final = re.compile(r"(Version )?[12]\.\d+\b")
_NEWER: Final = "check it with a newer TLC, which TLA2TOOLS_JAR names"


def defects_of(model: PlainModel, build: str | None) -> Iterator[str]:
    """Yield where the modules of a model have a shape that this ``build`` of TLC may evaluate wrongly.

    ``build`` is what TLC prints of its version; of an unknown one the defects are assumed.
    """
    if build is not None and not _OLD.match(build):
        return
    library = model.library
    named = {module.name for module in library.closure(model.module)}
    for module in library.closure(model.module, instances=True):
        for name, definition in module.definitions.items():
            place = f"{module.path.name}:{definition.line}, {name}"
            if _changes_a_rule(library, module.name, definition.body):
                why = "EXCEPT of a function that is given by its rule may lose changes (tlaplus 1145, 1302)"
                yield f"{place}: {why}; {_NEWER}"
            elif module.name not in named and _enabled_with_lambda(library, module.name, definition):
                why = "ENABLED and fairness of an action with a LAMBDA in an instance (tlaplus 725)"
                yield f"{place}: {why}; {_NEWER}"


def _changes_a_rule(library: Library, module: str, body: Expression) -> bool:
    r"""Tell whether a formula has ``[f EXCEPT ...]`` where f is ``[x \in S |-> e]``, in place or by a definition's name."""

    def is_rule(base: Expression, seen: frozenset[str] = frozenset()) -> bool:
        match base:
            case FunctionOf():
                return True
            case Except(inner, _):
                return is_rule(inner, seen)
            case Name(name) | Call(name, _) if name not in seen and library.defines(module, name):
                return is_rule(library.definition(module, name).body, seen | {name})
        return False

    return any(isinstance(part, Except) and is_rule(part.base) for part in within(body))


def _enabled_with_lambda(library: Library, module: str, definition: Definition) -> bool:
    """Tell whether a definition asks what is enabled of a formula that has a LAMBDA, itself or by what it uses."""
    parts = list(within(definition.body))
    if not any(isinstance(part, Fair) or getattr(part, "operator", "") == "ENABLED" for part in parts):
        return False
    waiting, seen = [definition.body], set[str]()
    while waiting:
        body = waiting.pop()
        if any(isinstance(part, Lambda) for part in within(body)):
            return True
        for name in names_in(body):
            if name not in seen and library.defines(module, name):
                seen.add(name)
                waiting.append(library.definition(module, name).body)
    return False
