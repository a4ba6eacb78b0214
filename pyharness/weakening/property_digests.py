"""Digests of properties: of all the text that TLC evaluates for one, down to the definitions that it uses."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pyharness.errors import SpecError
from pyharness.plan.spec_text import within_module
from pyharness.weakening.definitions import ModuleDefinition, expression_of, visible_definitions
from pyharness.weakening.expression_text import on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.plan.spec_modules import Library

__all__ = ["PropertyDigests"]

_USED: Final = re.compile(r"(?:(?P<instance>[A-Za-z_]\w*)(?:\([^()]*\))?!)?(?P<name>[A-Za-z_]\w*)")
_FAIR: Final = re.compile(r"\b[WS]F_[A-Za-z]\w*")
_ASSUME: Final = re.compile(r"^ASSUME\b.*?(?=^\S|\Z)", re.MULTILINE | re.DOTALL)


class PropertyDigests:
    """Makes the digests of definitions of a library's modules.

    A digest is of the definition's text, of every definition that it uses, also of those of an instance and of what
    stands in for that one's variables, and of the assumptions of the module. Blanks, comments and superfluous
    parentheses do not count. With ``but`` names whose definitions do not count either.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._visible: dict[str, dict[str, ModuleDefinition]] = {}
        self._instances: dict[str, dict[str, str]] = {}
        self._texts: dict[tuple[str, str], str] = {}

    def digest(self, module: str, name: str, but: Iterable[str] = ()) -> str:
        """Return the digest of definition ``name`` of a module."""
        seen = {(module, left_out) for left_out in but} - {(module, name)}
        return self._digest(module, [(module, name)], seen, [])

    def of_formula(self, module: str, formula: str) -> str:
        """Return the digest of a formula that stands in a module, or could."""
        return self._digest(module, self._used(module, formula), set(), [" ".join(formula.split())])

    def _digest(
        self, module: str, waiting: list[tuple[str, str]], seen: set[tuple[str, str]], parts: list[str]
    ) -> str:
        while waiting:
            current = waiting.pop()
            if current in seen or (text := self._text(*current)) is None:
                continue
            seen.add(current)
            parts.append(f"{current[0]}: {text}")
            waiting += self._used(current[0], text)
        return hashlib.sha256("\n".join([*sorted(parts), *self._assumptions(module)]).encode()).hexdigest()[
            :16
        ]

    def _used(self, module: str, text: str) -> list[tuple[str, str]]:
        """Return the names in a text, each with the module in which it is defined or declared."""
        found = []
        for match in _USED.finditer(_FAIR.sub("", text)):
            if match["instance"]:
                found.append((module, match["instance"]))
                if target := self._of_instance(module, match["instance"]):
                    found.append((target, match["name"]))
            else:
                found.append((module, match["name"]))
        return found

    def _text(self, module: str, name: str) -> str | None:
        """Return a definition on one line, or that of an instance; ``None`` for what is neither."""
        if (module, name) in self._texts:
            return self._texts[module, name]
        if module not in self._visible:
            self._visible[module] = visible_definitions(self._library, module)
        definition = self._visible[module].get(name)
        text = self._instance_text(module, name) if definition is None else _defined(definition)
        if text is not None:
            self._texts[module, name] = text
        return text

    def _of_instance(self, module: str, name: str) -> str | None:
        if module not in self._instances:
            self._instances[module] = {
                instance: target
                for own in self._library.closure(module)
                for instance, target in own.instances.items()
            }
        return self._instances[module].get(name)

    def _instance_text(self, module: str, name: str) -> str | None:
        if self._of_instance(module, name) is None:
            return None
        head = re.compile(rf"^{name}\b[^=]*==\s*INSTANCE\b.*?(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
        found = (head.search(within_module(own.text)) for own in self._library.closure(module))
        return next(" ".join(match[0].split()) for match in found if match)

    def _assumptions(self, module: str) -> list[str]:
        bare = (within_module(own.text) for own in self._library.closure(module))
        return sorted(" ".join(part.split()) for text in bare for part in _ASSUME.findall(text))


@lru_cache(maxsize=2000)
def _defined(definition: ModuleDefinition) -> str:
    try:
        text = on_one_line(expression_of(definition))
    except SpecError:
        text = " ".join(definition.text.split())
    return f"{definition.name}({', '.join(definition.parameters)}) == {text}"
