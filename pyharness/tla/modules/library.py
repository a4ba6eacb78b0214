"""The modules of some directories, each read once: their definitions, and the parts that a model needs of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pyharness.base.errors import SpecError, nearest
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import Boxed, Infix, Junction, Name, Prefix, within
from pyharness.tla.modules.kept_modules import ModuleFiles
from pyharness.tla.modules.sany import Refused
from pyharness.tla.modules.source_excerpt import spec_error

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
    from pathlib import Path

    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.module import Definition, Instance, Module

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
"""Further modules for which TLC has operators in Java: these override the operators of a user's module of that name."""

AT_FIRST: Final = 'TLCGet("level") = 1'
"""A formula that is true in a step from an initial state (TLC 2.15 and later; in an initial state the level is 0)."""

_NEXT: Final = re.compile(r"[A-Z]?Next")
_MODULE_NAME: Final = re.compile(r"(?=[0-9_]*[A-Za-z])[A-Za-z0-9_]{1,200}")


class Library:
    """The modules in some directories, read on demand."""

    def __init__(
        self, *directories: Path, ahead: bool | Collection[str] = True, jar: Path | None = None
    ) -> None:
        """With ``ahead`` reading the first module reads all of them, or those named; without, it and those it needs.

        SANY is that of ``jar``, or else the default one of this process.
        """
        self.directories = directories
        self._files = ModuleFiles(*directories, ahead=ahead, jar=jar)
        self._read: dict[str, Module] = {}
        self._closures: dict[tuple[str, bool], tuple[Module, ...]] = {}
        self._made: dict[tuple[Hashable, ...], Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Do not pickle the values derived from the modules: they can be made again."""
        return {**self.__dict__, "_made": {}}

    def once(self, *key: Hashable, of: Callable[[], T]) -> T:
        """Return the result of ``of``, which is computed once for each ``key``, since the modules here never change."""
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
                f"no module {name[:80]!r}",
                hint="a name has letters, and perhaps digits and _, and at most 200 of them",
            )
        found = (directory / f"{name}.tla" for directory in self.directories)
        path = next((path for path in found if path.is_file()), None)
        if path is None:
            raise SpecError(f"no module {name}", hint=nearest(name, self.names()))
        return path

    def module(self, name: str) -> Module:
        """Read a module; one within another has the name ``Outer!Inner``.

        Raises SpecError if there is none of that name, or SANY refuses it, and ToolError if SANY cannot be run.
        """
        outer, _, inner = name.partition("!")
        if outer not in self._read:
            path = self.path(outer)
            try:
                self._read = {**self._files.read(outer), **self._read}  # modules read before stay as they are
            except Refused as refused:
                raise spec_error(str(refused), self, where=path.name) from None
        module = self._read[outer]
        for part in inner.split("!") if inner else ():
            module = module.inner[part]
        return module

    def has_read(self, name: str) -> bool:
        """Return whether a module was read already."""
        return name in self._read

    def closure(self, name: str, *, instances: bool = False) -> tuple[Module, ...]:
        """Return a module and all it extends, with ``instances`` also all it instances, each once."""
        if (name, instances) not in self._closures:
            self._closures[name, instances] = self._closure(name, instances=instances)
        return self._closures[name, instances]

    def _closure(self, name: str, *, instances: bool) -> tuple[Module, ...]:
        """Return a module, followed by those it sees, each before the modules that it extends."""
        module = self.module(name)
        if not instances:
            seen = [self.module(other) for other in module.sees]
            return (module, *sorted(seen, key=lambda each: (-len(each.sees), each.name)))
        found: dict[str, Module] = {}
        waiting = [name]
        while waiting:
            current = waiting.pop()
            if current not in found:
                found[current] = self.module(current)
                waiting += [*found[current].sees, *found[current].instanced]
        return tuple(found.values())

    def closures(self, names: Iterable[str]) -> dict[str, Module]:
        """Return modules and all that they extend and instance, by name."""
        return {module.name: module for name in names for module in self.closure(name, instances=True)}

    def visible(self, name: str) -> Mapping[str, Definition]:
        """Return the definitions that a module sees, by name: its own, and those of others that it extends."""
        return self.once("visible", name, of=lambda: self._visible(self.module(name)))

    def _visible(self, module: Module) -> dict[str, Definition]:
        return {
            name: definition
            for own in self.closure(module.name)
            for name, definition in own.definitions.items()
            if own is module or module.scope.get(name) == own.name
        }

    def defines(self, name: str, operator: str) -> bool:
        """Return whether a module, or one it extends, defines ``operator``."""
        return operator in self.visible(name)

    def definition(self, name: str, operator: str) -> Definition:
        """Return a definition. Raises SpecError if neither the module ``name`` nor one that it extends has it."""
        found = self.visible(name).get(operator)
        if found is None:
            raise SpecError(f"{operator} is not defined", where=name)
        return found

    def instance(self, name: str, instance: str) -> Instance | None:
        """Return an instance that has a name in a module, or in one that it extends."""
        return next((m.instances[instance] for m in self.closure(name) if instance in m.instances), None)

    def of_instance(self, name: str, used: str) -> tuple[Instance, Definition] | None:
        """Return the instance and the definition of ``X!Op`` in a module; ``None`` if the definition is not found here."""
        first, _, rest = used.partition("!")
        found = self.instance(name, first)
        if (
            found is None
            or found.module.partition("!")[0] not in self
            or not self.defines(found.module, rest)
        ):
            return None
        return found, self.definition(found.module, rest)

    def constants(self, name: str) -> frozenset[str]:
        """Return every constant that a module and those it extends declare."""
        return self.once(
            "constants", name, of=lambda: frozenset(c for m in self.closure(name) for c in m.constants)
        )

    def variables(self, name: str) -> frozenset[str]:
        """Return every variable that a module and those it extends declare."""
        return self.once(
            "variables", name, of=lambda: frozenset(v for m in self.closure(name) for v in m.variables)
        )

    def prefix(self, name: str) -> str:
        """Return the letter that a module's own ``Init``, ``Next`` and ``vars`` begin with: H of ``HNext``, or none."""
        return self.relation(name).removesuffix("Next")

    def relation(self, name: str) -> str:
        """Return the name of a module's next-state relation: ``Next``, or one with a letter before it, such as ``HNext``.

        It is the nearest one that has an ``HInit`` and ``hvars``; another ``HNext`` is a part of a ``Next``. Raises
        SpecError if there is none.
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

    def formula(self, name: str, prop: str) -> tuple[str, str]:
        """Return the kind and the formula of a property that a state or a step violates, for a module that extends ``name``.

        The pair has ``"state"`` and the invariant, or ``"step"`` and the action: ``A`` of ``[][A]_vars``, the
        next-state relation or a stutter of ``X`` for ``X!Spec``. A step property's initial predicate is required of each
        step from an initial state. Raises SpecError for a temporal property.
        """
        match self.definition(name, prop).body:
            case Name(of) if of.endswith("!Spec"):
                instance = of.removesuffix("!Spec")
                step = f"UNCHANGED {instance}!vars \\/ {instance}!Next"  # the one that is true sooner first
                return "step", f"({AT_FIRST} => {instance}!Init) /\\ ({step})"
            case Prefix("[]", Boxed("[", action, _)):
                return "step", on_one_line(action)
            case Junction("/\\", (first, Prefix("[]", Boxed("[", action, _)))) if not _is_temporal(first):
                return "step", f"({AT_FIRST} => ({on_one_line(first)})) /\\ ({on_one_line(action)})"
            case body if not _is_temporal(body):
                return "state", prop
        raise SpecError(f"{prop} is a temporal property", where=name)

    def property_at(self, name: str, properties: tuple[str, ...], line: int, module: str) -> str | None:
        """Return the one of ``properties`` of module ``name`` at a place in ``module`` that TLC reports; ``None`` if unclear.

        A property written as ``X!Spec`` has all places in the module that X is an instance of.
        """
        meant = []
        for prop in (prop for prop in properties if self.defines(name, prop)):
            found = self.definition(name, prop)
            body = found.body
            if isinstance(body, Name) and "!" in body.name:
                instance = self.instance(name, body.name.partition("!")[0])
                if instance is not None and instance.module == module:
                    meant.append(prop)
            elif found.module == module and found.line <= line <= found.last:
                meant.append(prop)
        return meant[0] if len(meant) == 1 else None


def _is_temporal(formula: Expression) -> bool:
    """Return whether a formula itself has a temporal operator."""
    return any(
        isinstance(part, Prefix | Infix) and part.operator in ("<>", "[]", "~>") for part in within(formula)
    )
