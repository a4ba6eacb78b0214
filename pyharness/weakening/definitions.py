"""The definitions of a module: parameters, and the text of the right-hand side where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError
from pyharness.plan.spec_text import within_module
from pyharness.weakening.expression_reader import read_expression

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyharness.plan.spec_modules import Library, Module
    from pyharness.weakening.expressions import Expression

__all__ = ["ModuleDefinition", "definitions_of", "expression_of", "used_text", "visible_definitions"]

_HEAD: Final = re.compile(
    r"(?P<name>[A-Za-z_]\w*)\s*(?:\((?P<parameters>(?:[^()]|\([^()]*\))*)\)|\[[^\]]*\])?\s*==(?!=)"
)
_KEPT: Final = re.compile(
    r"^(?:EXTENDS|CONSTANTS?|VARIABLES?|ASSUME|RECURSIVE|\w+\s*(?:\([^)]*\)\s*)?==\s*INSTANCE)\b.*?(?=^\S|\Z)",
    re.MULTILINE | re.DOTALL,
)
_WORD: Final = re.compile(r"\w+")
_PARAMETER: Final = re.compile(r"[A-Za-z_]\w*(?:\([^()]*\))?")


@dataclass(frozen=True, slots=True)
class ModuleDefinition:
    """A definition: its module and name, its parameters, and the text after ``==`` without comments, in its columns."""

    module: str
    name: str
    parameters: tuple[str, ...]
    text: str


def definitions_of(module: Module) -> Mapping[str, ModuleDefinition]:
    """Return the definitions of a module by name, in their order, but for instances."""
    return _definitions_of(module.name, module.text)


@cache
def _definitions_of(module: str, text: str) -> dict[str, ModuleDefinition]:
    bare = within_module(text).rstrip()
    starts = [match.start() for match in re.finditer(r"^\S", bare, re.MULTILINE)] + [len(bare)]
    found = {}
    for start, end in pairwise(starts):
        head = _HEAD.match(bare, start, end)
        if head is None:
            continue
        before = re.sub(r"[^\n]", " ", bare[start : head.end()]).rpartition("\n")[2]
        right = bare[head.end() : end]
        if not right.lstrip().startswith("INSTANCE"):
            parameters = tuple(_PARAMETER.findall(head["parameters"] or ""))
            found[head["name"]] = ModuleDefinition(module, head["name"], parameters, before + right.rstrip())
    return found


def visible_definitions(library: Library, root: str) -> dict[str, ModuleDefinition]:
    """Return the definitions of a module and of all that it extends, by name."""
    return {name: d for module in library.closure(root) for name, d in definitions_of(module).items()}


def used_text(modules: Iterable[Module], texts: Iterable[str]) -> list[str]:
    """Return what some texts use of modules, by name: declarations, instances, and the definitions of names.

    What has a name that is used counts in each module that defines it, so it is rather too much than too little.
    """
    kept: list[str] = []
    defined: dict[str, list[str]] = {}
    for module in sorted(modules, key=lambda m: m.name):
        bare = within_module(module.text).rstrip()
        kept += [" ".join([module.name, *part.split()]) for part in _KEPT.findall(bare)]
        for name, d in definitions_of(module).items():
            words = [module.name, name, *d.parameters, "==", *d.text.split()]
            defined.setdefault(name, []).append(" ".join(words))
    waiting = [*texts, *kept]
    used: set[str] = set()
    while waiting:
        for name in set(_WORD.findall(waiting.pop())) - used:
            if name in defined:
                used.add(name)
                waiting += defined[name]
    return [*kept, *(text for name in sorted(used) for text in defined[name])]


@cache
def expression_of(definition: ModuleDefinition) -> Expression:
    """Read the right-hand side. Raises SpecError, whose ``where`` is the definition, for what is not understood."""
    try:
        return read_expression(definition.text)
    except SpecError as error:
        where = f"{definition.module}!{definition.name}, {error.where}"
        raise SpecError(error.message, where=where, hint=error.hint) from None
