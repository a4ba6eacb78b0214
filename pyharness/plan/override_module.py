"""A bug made on the spot: a module that says what stands in for some operators of a spec, as a mutant's does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyharness.modules.library import Library

OVERRIDES: Final = "Overrides"
"""The module's name, with which its definitions begin: ``OverridesMayTake`` stands in for ``MayTake``."""

_GIVEN: Final = re.compile(r"\s*([A-Za-z]\w*)\s*(\(\s*\w+(?:\s*,\s*\w+)*\s*\))?\s*=(?!=)\s*(.+)", re.DOTALL)


def parse_overrides(texts: Iterable[str]) -> dict[str, str]:
    """Read ``Op=Definition`` or ``Op(a, b)=Definition``; the left-hand sides are the keys.

    Raises SpecError for a text that is neither.
    """
    found: dict[str, str] = {}
    for text in texts:
        match = _GIVEN.fullmatch(text)
        if match is None:
            hint = 'such as "MayTake=TRUE", or "TurnsRed(p, marker)=FALSE"'
            raise SpecError(f"{text!r} is not Operator=Definition", where="override", hint=hint)
        found[match[1] + (match[2] or "")] = match[3].strip()
    return found


def override_module(library: Library, spec: str, overrides: Mapping[str, str]) -> str:
    """Return the text of the module :data:`OVERRIDES`, which extends ``spec``.

    The keys are operators of ``spec`` or of a module that it extends, with parameters or else with those that they are
    defined with; a value is an expression, or the name of an operator with the same parameters.

    Raises SpecError, with the nearest names, for an operator that the spec does not have.
    """
    known = library.visible(spec)
    lines = []
    for left, right in overrides.items():
        name, bracket, rest = left.partition("(")
        if name not in known:
            raise SpecError.unknown(f"operator of {spec}", name, known, where="override")
        own = known[name]
        given = own.inner if right in known else ""
        lines.append(f"{OVERRIDES}{name}{bracket + rest or own.bracketed} ==\n  {right}{given}")
    body = "\n\n".join(lines)
    return f"---- MODULE {OVERRIDES} ----\nEXTENDS {spec}\n\n{body}\n====\n"
