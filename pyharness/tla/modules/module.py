"""A module as SANY reads it: its definitions, declarations, assumptions and theorems, each with its place; frozen.

It describes the text of the module itself. The names that it sees of others, by EXTENDS, are in its ``scope``,
name by name, as SANY resolved it: a LOCAL definition is in that of its own module alone. An unnamed INSTANCE defines
the names of its module, with the substitutions made in their bodies.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import Expression, Instanced, from_written, names_in, within

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

CONSTANT, STATE, ACTION, TEMPORAL = range(4)
"""The levels of definitions, as SANY has them."""


@dataclass(frozen=True)
class Definition:
    r"""A definition of a ``module``, on the lines from ``line`` to ``last`` (from 1) of its file.

    ``parameters`` that are operators keep their blanks: ``F(_, _)``. ``level`` is 0 for a constant, 1 if it depends
    on a state, 2 on a step, and 3 on a behaviour. ``written`` is the right-hand side as it is kept; that of a function
    ``f[x \in S] == e`` is ``[x \in S |-> e]``. ``lines`` are those on which its parts begin, in the order of
    :func:`~pyharness.tla.modules.expressions.within`.
    """

    module: str
    name: str
    parameters: tuple[str, ...]
    line: int
    last: int
    level: int
    written: Any = field(repr=False)
    lines: Sequence[int] = field(default=(), repr=False, compare=False)

    @cached_property
    def body(self) -> Expression:
        """The right-hand side."""
        found: Expression = from_written(self.written)
        return found

    @cached_property
    def text(self) -> str:
        """The definition in one line, without comments."""
        return f"{self.name}({', '.join(self.parameters)}) == {on_one_line(self.body)}"

    @cached_property
    def uses(self) -> tuple[str, ...]:
        """The names that it uses, each once: definitions, declarations, bound names, and operators."""
        return tuple(dict.fromkeys(names_in(self.body)))

    @cached_property
    def instanced(self) -> tuple[str, ...]:
        """The modules of the instances within it."""
        return tuple(part.module for part in within(self.body) if isinstance(part, Instanced))

    @property
    def head(self) -> str:
        """The left-hand side: ``F(a, G(_))``."""
        return self.name + self.bracketed

    @property
    def bracketed(self) -> str:
        """The parameters with their brackets; empty if there are none."""
        return f"({', '.join(self.parameters)})" if self.parameters else ""

    @property
    def inner(self) -> str:
        """The parameters as a call of the definition has them."""
        return f"({', '.join(p.partition('(')[0] for p in self.parameters)})" if self.parameters else ""


@dataclass(frozen=True)
class Instance:
    """``name(parameters) == INSTANCE module WITH ...``; ``written`` are its substitutions, those of equal names too."""

    name: str
    parameters: tuple[str, ...]
    module: str
    line: int
    written: Any = field(repr=False)

    @cached_property
    def substitutions(self) -> Mapping[str, Expression]:
        """The expressions that stand for the constants and variables of the module."""
        return dict(from_written(self.written))


@dataclass(frozen=True)
class Statement:
    """An assumption, or a theorem: ``ASSUME`` some formulas and ``NEW`` symbols, ``PROVE`` a formula."""

    kind: Literal["assumption", "theorem"]
    name: str
    line: int
    new: tuple[str, ...]
    written: Any = field(repr=False)

    @cached_property
    def assumed(self) -> tuple[Expression, ...]:
        """The formula that it assumes."""
        found: tuple[Expression, ...] = from_written(self.written[0])
        return found

    @cached_property
    def formula(self) -> Expression:
        """The formula that it states."""
        found: Expression = from_written(self.written[1])
        return found


@dataclass(frozen=True)
class Module:
    """One module; ``text`` is that of its file, and ``inner`` are the modules within it.

    ``scope`` has the names of the definitions of other modules that are its own by EXTENDS, each with its module, and
    ``sees`` all modules that it extends, but the standard ones. ``standard`` are those, and ``instanced`` the
    modules of instances, of those within definitions too; those of instances without a name are ``unnamed``.
    """

    name: str
    path: Path
    text: str
    definitions: Mapping[str, Definition]
    instances: Mapping[str, Instance]
    constants: tuple[str, ...]
    variables: tuple[str, ...]
    statements: tuple[Statement, ...]
    scope: Mapping[str, str]
    sees: tuple[str, ...]
    standard: tuple[str, ...]
    instanced: tuple[str, ...]
    unnamed: tuple[str, ...]
    inner: Mapping[str, Module]
