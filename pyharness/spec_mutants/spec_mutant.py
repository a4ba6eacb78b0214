"""One mutant of a spec: what was changed, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyharness.modules.expression_text import on_one_line

if TYPE_CHECKING:
    from pyharness.modules.expressions import Expression

__all__ = ["SpecMutant"]


@dataclass(frozen=True)
class SpecMutant:
    """The mutant ``number``, from 1: a change of the ``definition`` in a line of a module.

    ``kind`` says in words what is changed, ``old`` and ``new`` are the parts, ``new`` is ``None`` for what is dropped.
    """

    number: int
    definition: str
    module: str
    line: int
    kind: str
    old: Expression
    new: Expression | None

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
