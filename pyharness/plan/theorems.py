"""What the theorems of a module state without a condition: what is checked of a spec that no plan has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from pyharness.errors import SpecError
from pyharness.plan.followed_formula import fairness_of, require_followed
from pyharness.plan.formula_parts import bare, parts
from pyharness.plan.spec_text import within_module, without_comments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyharness.plan.spec_modules import Library

__all__ = ["Stated", "stated_by_theorems"]

_STATEMENT: Final = re.compile(
    r"^(?:THEOREM|LEMMA|COROLLARY|PROPOSITION)\b[ \t]*(?:\w+\s*==)?(.*(?:\n(?!\S).*)*)", re.MULTILINE
)
_PROOF: Final = re.compile(r"<\d+>|<\*>|\b(?:PROOF|BY|OBVIOUS|OMITTED)\b")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")


class Stated(NamedTuple):
    """A property that a theorem states: its ``name``, whether with "always" before it, and of what is fair."""

    name: str
    always: bool
    fair: tuple[str, ...]


def stated_by_theorems(library: Library, spec: str) -> tuple[Stated, ...]:
    """Return what the theorems of ``spec`` say of the formula that a model follows, each property once.

    What is stated under a condition, or of another formula, is left out. Raises SpecError for a theorem about the
    formula that states something without a name, and where nothing is stated.
    """
    module = library.module(spec)
    text = within_module(without_comments(module.text))
    found: dict[str, Stated] = {}
    for match in _STATEMENT.finditer(text):
        premise, *stated = parts(_PROOF.split(match[1])[0], "=>", most=1)
        of = bare(premise)
        if not stated or not _NAME.fullmatch(of) or not library.defines(spec, of):
            continue
        fair = fairness_of(library, spec, of)
        if fair is None:
            continue
        for name, always in _names(bare(stated[0]), always=False):
            if not _NAME.fullmatch(name) or not library.defines(spec, name):
                raise SpecError(
                    f"a theorem says {' '.join(name.split())}, which is no name of a definition",
                    where=f"{module.path.name}:{text.count(chr(10), 0, match.start()) + 1}",
                    hint="give it a name, or say with --property what is to be checked",
                )
            found.setdefault(name, Stated(name, always, fair))
    if not found:
        require_followed(library, spec)  # the theorems may be about a formula that is none of the model's
        prefix = library.prefix(spec)
        raise SpecError(
            f"no theorem of {spec} states a property of {prefix}Spec, so nothing would be checked",
            where=module.path.name,
            hint=f"write THEOREM {prefix}Spec => []P, or say with --property what is to be checked",
        )
    return tuple(found.values())


def _names(formula: str, *, always: bool) -> Iterator[tuple[str, bool]]:
    """Yield the conjuncts of a formula, and whether "always" is before each."""
    for part in parts(formula, "/\\"):
        inner = bare(part)
        if inner.startswith("[]") and not inner.startswith("[]["):
            yield from _names(bare(inner[2:]), always=True)
        elif len(parts(inner, "/\\")) > 1:
            yield from _names(inner, always=always)
        elif inner:
            yield inner, always
