"""One mutant of a spec: what was changed, and where."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyharness.modules.expression_text import on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.modules.expressions import Expression


@dataclass(frozen=True)
class SpecMutant:
    """The mutant ``number``, from 1: a change of the ``definition`` in a line of a module.

    ``kind`` says in words what is changed, ``old`` and ``new`` are the parts, ``new`` is ``None`` for what is dropped.
    Where a definition has the same change in several places, ``occurrence`` says which of them it is, from 1.
    """

    number: int
    definition: str
    module: str
    line: int
    kind: str
    old: Expression
    new: Expression | None
    occurrence: int = 0

    @property
    def place(self) -> str:
        """Where it is: ``Foo.tla:12``."""
        return f"{self.module}.tla:{self.line}"

    @property
    def old_text(self) -> str:
        """What stands there, in one line."""
        return on_one_line(self.old)

    @property
    def new_text(self) -> str:
        """What stands there then; empty for what is dropped."""
        return "" if self.new is None else on_one_line(self.new)

    @property
    def key(self) -> tuple[str, ...]:
        """What tells it apart from all others, in every model: as a list of accepted mutants has it."""
        return *_change(self), str(self.occurrence or "")


def told_apart(mutants: Iterable[SpecMutant]) -> list[SpecMutant]:
    """Return mutants, in the order of the text, with the ``occurrence`` of each that is not alone."""
    given = list(mutants)
    all_of, so_far = Counter(map(_change, given)), Counter[tuple[str, ...]]()
    found = []
    for each in given:
        so_far[_change(each)] += 1
        several = all_of[_change(each)] > 1
        found.append(replace(each, occurrence=so_far[_change(each)] if several else 0))
    return found


def _change(mutant: SpecMutant) -> tuple[str, ...]:
    return mutant.definition, mutant.kind, mutant.old_text, mutant.new_text
