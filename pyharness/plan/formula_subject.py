"""What a formula is about: the variables that it depends on, down to all definitions that it uses.

A formula that depends on none is a constant, whatever it is called: TLC looks at no state to find it true, or leaves it
out without a word. So is what a step property says where its action is one, or where a step that breaks it leaves what
stands below its brackets unchanged. That a formula depends on a variable does not mean that it can be false: `x = x` is
not noticed here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pyharness.plan.spec_text import without_strings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.plan.spec_modules import Library

__all__ = ["FormulaSubjects"]

_NAME: Final = re.compile(r"(?:(?P<instance>[A-Za-z_]\w*)(?:\([^()]*\))?!)?(?P<name>[A-Za-z_]\w*)")
_ALIAS: Final = re.compile(r"\s*(?:\[\])?\(?\s*([A-Za-z_]\w*)\s*\)?\s*")
_OF_INSTANCE: Final = re.compile(r"\s*(?:\[\])?\s*([A-Za-z_]\w*(?:\([^()]*\))?)!([A-Za-z_]\w*)\s*")
_WITH: Final = re.compile(r"\bWITH\b")
_GIVEN: Final = re.compile(r"(\w+)\s*<-\s*(.*?)(?=,\s*\w+\s*<-|\Z)", re.DOTALL)
_BEGINS: Final = re.compile(r"\[\]\[")
_ENDS: Final = re.compile(r"\]_(\w+|<<[^<>]*>>|\([^()]*\))")


@dataclass
class FormulaSubjects:
    """The subjects of the formulas of a module of ``library``, where ``overrides`` stand in for some operators."""

    library: Library
    module: str
    overrides: Mapping[str, str] = field(default_factory=dict)

    def nothing_said(self, name: str, entered: frozenset[tuple[str, str]] = frozenset()) -> str | None:
        """Say why the property ``name`` of the module says nothing, or ``None`` where no reason was found.

        ``entered`` are the modules and properties of instances on the way to here.
        """
        text = self._text(name)
        instanced = _OF_INSTANCE.fullmatch(text)
        if instanced and (
            why := self._nothing_said_by(instanced[1], instanced[2], entered | {(self.module, name)})
        ):
            return why
        if not self.variables(text):
            return "it is a constant"
        for action, subscript in (step for used in self._texts(text) for step in _steps(used)):
            about, looked_at = self.variables(action), self.variables(subscript)
            if not about:
                return f"[{action.strip()}]_{subscript} is a constant"
            if unseen := sorted(about - looked_at):
                return f"a step that leaves {subscript} unchanged is not looked at, whatever it does to {unseen[0]}"
        return None

    def _nothing_said_by(self, instance: str, name: str, entered: frozenset[tuple[str, str]]) -> str | None:
        """Say why ``instance!name`` says nothing: by what its steps become here, or in its own module already."""
        other = self._instanced(instance)
        if other not in self.library or not self.library.defines(other, name) or (other, name) in entered:
            return None
        if why := FormulaSubjects(self.library, other).nothing_said(name, entered):
            return f"in {other}, {why}"
        steps = ("Next", "vars")
        if name == "Spec" and all(self.library.defines(other, part) for part in steps):
            for part in steps:
                if not self.variables(f"{instance}!{part}"):
                    return f"{instance}!{part} is a constant"
        return None

    def _instanced(self, instance: str) -> str:
        """Name the module of an instance, which may have arguments; it is empty where that is not known."""
        name = instance.partition("(")[0]
        own = next((m for m in self.library.closure(self.module) if name in m.instances), None)
        return own.instances[name] if own else ""

    def variables(self, text: str) -> frozenset[str]:
        """Return the variables of the module that an expression in it depends on."""
        return frozenset(self._variables(self.module, text, self.overrides, set()))

    def _text(self, name: str) -> str:
        """Return the formula that a property is, where it is another one's name: that one's."""
        seen = set[str]()
        while name not in seen:
            seen.add(name)
            text = self.library.text_of(self.module, name)
            alias = _ALIAS.fullmatch(text)
            meant = self.overrides.get(alias[1], alias[1]) if alias else ""
            if self.library.defines(self.module, meant):
                name = meant
        return text

    def _texts(self, text: str) -> Iterator[str]:
        """Yield a formula, and what the names of the module that it uses stand for."""
        waiting, seen = [text], set[str]()
        while waiting:
            current = waiting.pop()
            yield current
            for instance, name in _named(current):
                if not instance and name not in seen and self.library.defines(self.module, name):
                    seen.add(name)
                    waiting.append(self.library.text_of(self.module, name))

    def _variables(
        self, module: str, text: str, overrides: Mapping[str, str], seen: set[tuple[str, str]]
    ) -> Iterator[str]:
        library = self.library
        for instance, own_name in _named(text):
            name = overrides.get(own_name, own_name)
            if instance:
                yield from self._of_instance(module, instance, own_name, overrides, seen)
            elif name in library.variables(module):
                yield name
            elif (module, name) not in seen and library.defines(module, name):
                seen.add((module, name))
                yield from self._variables(module, library.text_of(module, name), overrides, seen)

    def _of_instance(
        self, module: str, instance: str, name: str, overrides: Mapping[str, str], seen: set[tuple[str, str]]
    ) -> Iterator[str]:
        """Yield the variables that ``instance!name`` depends on; all of the module's where that cannot be read."""
        library = self.library
        own = next((m for m in library.closure(module) if instance in m.instances), None)
        if own is None or own.instances[instance] not in library:
            yield from library.variables(module)
            return
        other = own.instances[instance]
        inner = set(self._variables(other, name, {}, set(seen)))
        given = dict(_GIVEN.findall(_WITH.split(library.text_of(module, instance), maxsplit=1)[-1]))
        for variable in inner:
            yield from self._variables(module, given.get(variable, variable), overrides, set(seen))


@lru_cache(maxsize=10_000)
def _named(text: str) -> tuple[tuple[str | None, str], ...]:
    """Return the names in a formula, each once and with the instance that it is taken from."""
    found = _NAME.finditer(without_strings(text))
    return tuple(dict.fromkeys((match["instance"], match["name"]) for match in found))


def _steps(text: str) -> Iterator[tuple[str, str]]:
    """Yield the action and the subscript of each ``[][A]_v`` of a formula."""
    for begin in _BEGINS.finditer(text):
        depth = 1
        for at in range(begin.end(), len(text)):
            depth += (text[at] == "[") - (text[at] == "]")
            if depth == 0:
                if end := _ENDS.match(text, at):
                    yield text[begin.end() : at], end[1]
                break
