"""Shapes of formulas that a build of TLC is known to evaluate wrongly: with one, a run without a violation is not a pass.

The numbers are those of issues of github.com/tlaplus/tlaplus. TLC 2.15 was seen to have the defects, and a build of 2026,
whose version is a date, not to have them, except 1407, for which no version is known to be sound; other builds are assumed
to have them. Only shapes are looked for: a function given by its rule, in a variable or an argument, is not found.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyharness.tla.modules import expressions as ast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.library import Library
    from pyharness.tla.modules.module import Definition

_SOUND: Final = re.compile(r"(Version )?20[2-9]\d\.")
_NEWER: Final = "check it with a newer TLC, which TLA2TOOLS_JAR names"


def defects_of(library: Library, root: str, build: str | None) -> Iterator[str]:
    """Yield a message for each shape in a module ``root``, or one it uses, that a build of TLC may evaluate wrongly.

    ``build`` is the version that TLC prints, ``None`` if that is not known.
    """
    old = build is None or not _SOUND.match(build)
    yield from library.once("known defects", root, old, of=lambda: tuple(_shapes(library, root, old=old)))


def _shapes(library: Library, root: str, *, old: bool) -> Iterator[str]:
    named = {module.name for module in library.closure(root)}
    for module in library.closure(root, instances=True):
        for name, definition in module.definitions.items():
            place = f"{module.path.name}:{definition.line}, {name}"
            if _compares_function_sets(library, module.name, definition.body):
                yield f"{place}: sets of functions on an empty set are equal, and may differ here (tlaplus 1407)"
            elif old and _changes_a_rule(library, module.name, definition.body):
                why = "EXCEPT of a function that is given by its rule may lose changes (tlaplus 1145, 1302)"
                yield f"{place}: {why}; {_NEWER}"
            elif old and module.name not in named and _enabled_with_lambda(library, module.name, definition):
                why = "ENABLED and fairness of an action with a LAMBDA in an instance (tlaplus 725)"
                yield f"{place}: {why}; {_NEWER}"


def _changes_a_rule(library: Library, module: str, body: Expression) -> bool:
    r"""Return whether a formula has ``[f EXCEPT ...]`` where f is ``[x \in S |-> e]``, in place or by a definition."""
    own = {
        each.name: each.body
        for part in ast.within(body)
        if isinstance(part, ast.Let)
        for each in part.definitions
    }

    def is_rule(base: Expression, seen: frozenset[str] = frozenset()) -> bool:
        match base:
            case ast.FunctionOf():
                return True
            case ast.Except(inner, _):
                return is_rule(inner, seen)
            case ast.Name(name) | ast.Call(name, _) if name in own and name not in seen:
                return is_rule(own[name], seen | {name})
            case ast.Name(name) | ast.Call(name, _) if name not in seen and library.defines(module, name):
                return is_rule(library.definition(module, name).body, seen | {name})
        return False

    return any(isinstance(part, ast.Except) and is_rule(part.base) for part in ast.within(body))


def _compares_function_sets(library: Library, module: str, body: Expression) -> bool:
    """Return whether a formula compares ``[S -> T]``, in place or by a definition, with another such set."""

    def is_space(part: Expression) -> bool:
        match part:
            case ast.FunctionSpace():
                return True
            case ast.Name(name) | ast.Call(name, _) if library.defines(module, name):
                return isinstance(library.definition(module, name).body, ast.FunctionSpace)
        return False

    pairs = (
        each for each in ast.within(body) if isinstance(each, ast.Infix) and each.operator in {"=", "#", "/="}
    )
    return any(is_space(pair.left) and is_space(pair.right) for pair in pairs)


def _enabled_with_lambda(library: Library, module: str, definition: Definition) -> bool:
    """Return whether a definition has ENABLED or fairness, and a LAMBDA, itself or in a definition that it uses."""
    parts = list(ast.within(definition.body))
    if not any(isinstance(part, ast.Fair) or getattr(part, "operator", "") == "ENABLED" for part in parts):
        return False
    waiting, seen = [definition.body], set[str]()
    while waiting:
        body = waiting.pop()
        if any(isinstance(part, ast.Lambda) for part in ast.within(body)):
            return True
        for name in ast.names_in(body):
            if name not in seen and library.defines(module, name):
                seen.add(name)
                waiting.append(library.definition(module, name).body)
    return False
