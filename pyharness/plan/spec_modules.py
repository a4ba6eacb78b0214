"""What a TLA+ module offers by name: definitions with their lines, constants, what it extends and instances.

A line-based reader of this project's own modules, whose definitions begin in the first column. It serves to
refuse misspelt names before TLC runs, because TLC takes an undeclared constant without a word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pyharness.errors import SpecError, nearest
from pyharness.plan.next_actions import actions_of
from pyharness.plan.spec_text import (
    WHAT_TO_DO,
    not_understood,
    one_spelling,
    within_module,
    without_comments,
    without_strings,
)
from pyharness.toolchain.bounded_files import MOST_MODULE_BYTES, read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping
    from pathlib import Path

__all__ = ["AT_FIRST", "IN_JAVA", "STANDARD", "Library", "Module", "extended"]

T = TypeVar("T")

STANDARD: Final = frozenset(
    {
        "Naturals",
        "Integers",
        "Sequences",
        "FiniteSets",
        "TLC",
        "Bags",
        "Reals",
        "RealTime",
        "Randomization",
        "Toolbox",
    }
)
"""The modules that come with TLC."""

IN_JAVA: Final = frozenset({"AnySet", "Randomization", "Strings", "TransitiveClosure"})
"""Further modules of whose operators TLC has its own in Java, which it takes whatever a module of that name says."""

AT_FIRST: Final = 'TLCGet("level") = 1'
"""Is this a step from an initial state? (TLC 2.15 and later; for a state, 0 is the initial one's.)"""

_DEFINITION: Final = re.compile(
    r"^([A-Za-z_]\w*)\s*(?:\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\])?\s*==(?!=)", re.MULTILINE
)
_CONSTANTS: Final = re.compile(r"^CONSTANTS?\b(.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
_VARIABLES: Final = re.compile(r"^VARIABLES?\b(.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
_EXTENDS: Final = re.compile(r"^EXTENDS\s+(\w+(?:\s*,\s*\w+)*)", re.MULTILINE)
_INSTANCE: Final = re.compile(
    r"^(\w+)\s*(?:\((?:[^()]|\([^()]*\))*\))?\s*==\s*INSTANCE\s+(\w+)", re.MULTILINE
)
_INSTANCED: Final = re.compile(r"\bINSTANCE\s+(\w+)")
_NEXT: Final = re.compile(r"[A-Z]?Next")
_NAME: Final = re.compile(r"([A-Za-z_]\w*)(?:\([_, ]*\))?")
_HEAD: Final = re.compile(r"-{4,}\s*MODULE\s+(\w+)")
_MODULE_NAME: Final = re.compile(r"[A-Za-z0-9_]{1,200}")
_FIRST_COLUMN: Final = re.compile(r"\n(?=\S)")


@dataclass(frozen=True, slots=True)
class Module:
    """One module: its ``text``, its definitions' first lines, its constants and variables, and the modules it names.

    ``instances`` are those that have a name of the module's own; ``instanced`` are all, those within definitions too.
    """

    name: str
    path: Path
    text: str
    definitions: Mapping[str, int]
    constants: frozenset[str]
    extends: tuple[str, ...]
    instances: Mapping[str, str]
    variables: frozenset[str]
    instanced: tuple[str, ...]

    def body(self, name: str) -> str:
        """Return the text of a definition, up to the next one."""
        first = self.definitions[name]
        following = min((line for line in self.definitions.values() if line > first), default=None)
        lines = self.text.split("\n")  # as TLC counts them; a form feed ends none
        return "\n".join(lines[first - 1 : following - 1 if following else len(lines)])

    def definition_at(self, line: int) -> str | None:
        """Name the definition that holds a line (from 1)."""
        before = [(first, name) for name, first in self.definitions.items() if first <= line]
        return max(before)[1] if before else None


class Library:
    """The modules in some directories, read when asked for."""

    def __init__(self, *directories: Path) -> None:
        self.directories = directories
        self._read: dict[str, Module] = {}
        self._closures: dict[tuple[str, bool], tuple[Module, ...]] = {}
        self._made: dict[tuple[Hashable, ...], Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what was made of the modules: it can be made again."""
        return {**self.__dict__, "_made": {}}

    def once(self, *key: Hashable, of: Callable[[], T]) -> T:
        """Return what ``of`` makes of these modules, which never change here: it is made once for each ``key``."""
        if key not in self._made:
            self._made[key] = of()
        made: T = self._made[key]
        return made

    def __contains__(self, name: str) -> bool:
        named = _MODULE_NAME.fullmatch(name) is not None
        return named and any((directory / f"{name}.tla").is_file() for directory in self.directories)

    def names(self) -> list[str]:
        """Return the names of all modules, sorted."""
        return sorted({path.stem for directory in self.directories for path in directory.glob("*.tla")})

    def path(self, name: str) -> Path:
        """Return the file of a module, which may be unreadable. Raises SpecError if there is none of that name."""
        if not _MODULE_NAME.fullmatch(name):
            raise SpecError(
                f"no module {name[:80]!r}", hint="a name has letters, digits and _, and at most 200 of them"
            )
        found = (directory / f"{name}.tla" for directory in self.directories)
        path = next((path for path in found if path.is_file()), None)
        if path is None:
            raise SpecError(f"no module {name}", hint=nearest(name, self.names()))
        return path

    def module(self, name: str) -> Module:
        """Read a module. Raises SpecError if there is none of that name, or it cannot be read."""
        if name not in self._read:
            path = self.path(name)
            try:
                text = read_bytes(path, MOST_MODULE_BYTES).decode("utf-8")
            except UnicodeDecodeError as error:
                line = error.object.count(b"\n", 0, error.start) + 1
                raise SpecError(
                    "this is not UTF-8", where=f"{path.name}:{line}", hint="write the module in ASCII"
                ) from None
            self._read[name] = _parse(name, path, text.replace("\r\n", "\n").replace("\r", "\n"))
        return self._read[name]

    def closure(self, name: str, *, instances: bool = False) -> tuple[Module, ...]:
        """Return a module and all it extends, with ``instances`` also all it instances, each once."""
        if (name, instances) not in self._closures:
            self._closures[name, instances] = self._closure(name, instances=instances)
        return self._closures[name, instances]

    def _closure(self, name: str, *, instances: bool) -> tuple[Module, ...]:
        found: dict[str, Module] = {}
        waiting = [name]
        while waiting:
            current = waiting.pop()
            if current in found or current in STANDARD:
                continue
            module = self.module(current)
            found[current] = module
            waiting += [*module.extends, *(module.instanced if instances else ())]
        return tuple(found.values())

    def closures(self, names: Iterable[str]) -> dict[str, Module]:
        """Return modules and all that they extend and instance, by name."""
        return {module.name: module for name in names for module in self.closure(name, instances=True)}

    def defines(self, name: str, operator: str) -> bool:
        """Tell whether a module, or one it extends, defines ``operator``."""
        return operator in self.once(
            "defined",
            name,
            of=lambda: frozenset[str]().union(*(module.definitions for module in self.closure(name))),
        )

    def constants(self, name: str) -> frozenset[str]:
        """Return every constant that a module and those it extends declare."""
        return self.once(
            "constants",
            name,
            of=lambda: frozenset[str]().union(*(module.constants for module in self.closure(name))),
        )

    def variables(self, name: str) -> frozenset[str]:
        """Return every variable that a module and those it extends declare."""
        return self.once(
            "variables",
            name,
            of=lambda: frozenset[str]().union(*(module.variables for module in self.closure(name))),
        )

    def actions(self, name: str) -> tuple[str, ...]:
        """Name the actions of a module's next-state relation, as TLC names its steps."""
        return self.once("actions", name, of=lambda: actions_of(self, name, self.relation(name)))

    def prefix(self, name: str) -> str:
        """Return the letter that a module's own ``Init``, ``Next`` and ``vars`` begin with: H of ``HNext``, or none."""
        return self.relation(name).removesuffix("Next")

    def relation(self, name: str) -> str:
        """Name a module's next-state relation: ``Next``, or ``HNext`` or the like where there is one.

        That is the nearest one, with an ``HInit`` and ``hvars``; other ``HNext`` are parts of a ``Next``.
        """
        for module in self.closure(name):
            found = [definition for definition in module.definitions if _NEXT.fullmatch(definition)]
            for definition in sorted(found, key=len):
                prefix = definition.removesuffix("Next")
                if not prefix or all(
                    self.defines(name, other) for other in (f"{prefix}Init", f"{prefix.lower()}vars")
                ):
                    return definition
        raise SpecError(f"module {name} has no definition Next")

    def formula(self, name: str, prop: str, *, begins: bool = True) -> tuple[str, str]:
        """Return the formula of a property that a step violates or a state, for a module that extends ``name``.

        The pair has ``"state"`` and the invariant, or ``"step"`` and the action: ``A`` of ``[][A]_vars``, the
        next-state relation or a stutter of ``X`` for ``X!Spec``. What a step property says of the beginning, each step
        from an initial state must satisfy; without ``begins`` it is left out, and the formula is about a step from any
        state. Raises SpecError for a property of whole behaviours.
        """
        body = self.text_of(name, prop).strip()
        if instance := re.fullmatch(r"(\w+)!Spec", body):
            step = f"UNCHANGED {instance[1]}!vars \\/ {instance[1]}!Next"  # what is true sooner first
            return "step", f"({AT_FIRST} => {instance[1]}!Init) /\\ ({step})" if begins else step
        first = r"(?:/\\ ([^\n]*!Init)\s+/\\ )?"  # what the steps of a refinement begin from
        if action := re.fullmatch(rf"{first}\[\]\[(.*)\]_\w+", body):
            said = f"({AT_FIRST} => ({action[1]})) /\\ " if begins and action[1] else ""
            return "step", f"{said}({action[2]})" if said else action[2]
        if not any(sign in body for sign in ("<>", "~>", "[]")):
            return "state", prop
        raise SpecError(f"{prop} is about whole behaviours", where=name)

    def refined(self, name: str, prop: str) -> str | None:
        r"""Return the X of a property ``X!Spec`` where that is ``Init /\ [][Next]_vars`` and nothing else, or ``None``.

        Raises SpecError if neither the module ``name`` nor one that it extends has the property.
        """
        instance = re.fullmatch(r"(\w+)!Spec", self.text_of(name, prop).strip())
        if instance is None:
            return None
        module = next(
            (m.instances[instance[1]] for m in self.closure(name) if instance[1] in m.instances), None
        )
        plain = module and self.text_of(module, "Spec").strip() == r"Init /\ [][Next]_vars"
        return instance[1] if plain else None

    def text_of(self, name: str, definition: str) -> str:
        """Return the right-hand side of a definition, without comments, its lines where they stand in the module.

        Raises SpecError if neither the module ``name`` nor one that it extends has it.
        """
        left, right = self._sides_of(name, definition)
        return " " * (len(left) + 2) + right

    def parameters_of(self, name: str, definition: str) -> str:
        """Return the parameters of a definition as they stand there, with their brackets; empty if it has none.

        Raises what :meth:`text_of` does.
        """
        left, _ = self._sides_of(name, definition)
        return left.strip().removeprefix(definition).strip()

    def _sides_of(self, name: str, definition: str) -> tuple[str, str]:
        return self.once("sides", name, definition, of=lambda: self._read_sides(name, definition))

    def _read_sides(self, name: str, definition: str) -> tuple[str, str]:
        for module in self.closure(name):
            if definition in module.definitions:
                bare = one_spelling(without_comments(module.body(definition)))
                bare = bare.expandtabs(8)  # columns as SANY counts them
                whole = _FIRST_COLUMN.split(bare, maxsplit=1)[0].rstrip()
                left, _, right = "\n".join(map(str.rstrip, whole.split("\n"))).partition("==")
                return left, right
        raise SpecError(f"{definition} is not defined", where=name)

    def property_at(self, name: str, properties: tuple[str, ...], line: int, module: str) -> str | None:
        """Name the one of ``properties`` of module ``name`` that TLC means by a place in ``module``.

        A property written as ``X!Spec`` is meant by any place in the module that X is an instance of.
        """
        meant = []
        for prop in properties:
            for own in self.closure(name):
                if prop not in own.definitions:
                    continue
                instance = re.search(r"==\s*(\w+)!", own.body(prop))
                if instance:
                    if own.instances.get(instance[1]) == module:
                        meant.append(prop)
                elif own.name == module and own.definition_at(line) == prop:
                    meant.append(prop)
        return meant[0] if len(meant) == 1 else None


def extended(text: str) -> tuple[str, ...]:
    """Return the modules that the module with this text, without its comments, extends."""
    return tuple(word.strip() for match in _EXTENDS.findall(text) for word in match.split(","))


@lru_cache(maxsize=500)
def _parse(name: str, path: Path, text: str) -> Module:
    bare = within_module(text)
    for line, what in not_understood(bare):
        raise SpecError(
            f"{what}: this is not read",
            where=f"{path.name}:{line}",
            hint=WHAT_TO_DO.get(what, "begin each definition in the first column of a line of its own"),
        )
    head = _HEAD.search(bare)
    if head is not None and head[1] != name:
        raise SpecError(
            f"the module in {path.name} is called {head[1]}",
            where=f"{path.name}:{bare.count(chr(10), 0, head.start()) + 1}",
            hint="a file and its module have one name",
        )
    definitions = {match[1]: bare.count("\n", 0, match.start()) + 1 for match in _DEFINITION.finditer(bare)}
    constants = {
        word for block in _CONSTANTS.findall(bare) for word in _NAME.findall(re.sub(r"\([^)]*\)", "", block))
    }
    instances = {match[0]: match[1] for match in _INSTANCE.findall(bare)}
    declared = frozenset(re.findall(r"\w+", " ".join(_VARIABLES.findall(bare))))
    instanced = tuple(dict.fromkeys(_INSTANCED.findall(without_strings(bare))))
    return Module(
        name, path, text, definitions, frozenset(constants), extended(bare), instances, declared, instanced
    )
