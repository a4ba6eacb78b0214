"""A cache of modules that SANY read, in the user's own directory, by content: a second command starts no parser.

An entry is named by the module's text, TLC's jar and the code that read it. It is used if it carries this user's seal,
and if all modules that it needs have the same texts as then. The others are read in one run of SANY.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from pyharness.base.errors import SpecError
from pyharness.base.toolchain import find_tla2tools
from pyharness.base.toolchain.bounded_files import MOST_MODULE_BYTES, read_bytes, require_own_kind
from pyharness.base.toolchain.code_digest import code_digest
from pyharness.base.toolchain.jar import VARIABLE
from pyharness.base.toolchain.kept_texts import KeptTexts, name_of_content
from pyharness.base.toolchain.seal import own_cache
from pyharness.tla.modules.module import Definition, Instance, Module, Statement
from pyharness.tla.modules.sany import Refused, exported
from pyharness.tla.modules.sany_reading import read_xml

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from pyharness.base.toolchain import Tla2Tools


class ModuleFiles:
    """Reads modules from their files in some directories, the nearest first, or from the cache."""

    def __init__(
        self, *directories: Path, ahead: bool | Collection[str] = True, jar: Path | None = None
    ) -> None:
        """The first read also reads the modules ``ahead``: all if true, or those of some names.

        SANY is that of ``jar``, or else the default one of this process.
        """
        self._directories = directories
        self._texts: dict[str, tuple[Path, str] | None] = {}
        self._ahead = ahead
        self._given = {VARIABLE: str(jar)} if jar else None

    def __getstate__(self) -> dict[str, Any]:
        """Do not pickle the cache: another process or machine may have another one."""
        return {name: value for name, value in self.__dict__.items() if name != "_cache"}

    def path(self, name: str) -> Path | None:
        """Return the nearest file of a module, or ``None``."""
        found = (directory / f"{name}.tla" for directory in self._directories)
        return next((path for path in found if path.is_file()), None)

    def read(self, name: str) -> dict[str, Module]:
        """Read a module, on the first call with all others that are ahead; return the modules by name.

        Raises Refused with SANY's message, SpecError for a file that is not text, or an expression that is too deep,
        ToolError where SANY cannot be run.
        """
        if (kept := self._kept(name)) is not None:
            return {name: kept}
        names = dict.fromkeys(path.stem for place in self._directories for path in place.glob("*.tla"))
        sources = {other: text for other in names if (text := self._text_or_none(other))}
        known = _KnownModules(self._kept)
        ahead = [other for other in sources if self._ahead is True or (self._ahead and other in self._ahead)]
        waiting = [other for other in ahead if other not in known and other != name]
        self._ahead = False
        try:
            found = self._read([name, *waiting], sources, known)
        except Refused as refused:  # perhaps because of a module that is only read ahead
            if not waiting or refused.module() == name:
                raise
            found = self._read([name], sources, known)
        return {**known.seen, **found}

    def _read(
        self, names: Sequence[str], sources: Mapping[str, tuple[Path, str]], known: _KnownModules
    ) -> dict[str, Module]:
        with exported(names, self._directories, self._jar) as document:
            try:
                found = read_xml(document, sources, known)
            except RecursionError:
                raise SpecError(
                    "an expression has more parts within each other than can be read here",
                    where=f"{names[0]}.tla",
                    hint="give parts of it names of their own; a list of /\\ or \\/ counts once",
                ) from None
        for module in found.values():
            self._keep(module, {**known.seen, **found})
        return found

    # -- texts ----------------------------------------------------------------------------------------------------

    def _text(self, name: str) -> tuple[Path, str] | None:
        if name not in self._texts:
            path = self.path(name)
            self._texts[name] = (path, read_text(path)) if path else None
        return self._texts[name]

    def _text_or_none(self, name: str) -> tuple[Path, str] | None:
        try:
            return self._text(name)
        except SpecError:
            return None

    def _digest(self, name: str) -> str:
        """Return the digest of a module's text; "" for a standard one, which is in the jar."""
        found = self._text(name)
        return hashlib.sha256(found[1].encode()).hexdigest() if found else ""

    @cached_property
    def _jar(self) -> Tla2Tools:
        return find_tla2tools(self._given)

    # -- what is kept -----------------------------------------------------------------------------------------------

    @cached_property
    def _cache(self) -> KeptTexts:
        directory = own_cache()
        return KeptTexts(directory and directory / "modules", "module")

    def _name(self, text: str, name: str) -> str:
        return name_of_content(name, text, self._jar.sha256, _code())

    def _kept(self, name: str) -> Module | None:
        found = self._text(name)
        text = self._cache.find(self._name(found[1], name)) if found else None
        if found is None or text is None:
            return None
        needs, module = _kept_module(text, *found)
        return module if all(self._digest(other) == digest for other, digest in needs.items()) else None

    def _keep(self, module: Module, modules: Mapping[str, Module]) -> None:
        if found := self._text(module.name):
            needs = {other: self._digest(other) for other in _needed(module, modules)}
            text = json.dumps({"needs": needs, "module": _as_document(module)}, separators=(",", ":"))
            self._cache.keep(self._name(found[1], module.name), text)


class _KnownModules:
    """The modules in the cache, each looked up on demand."""

    def __init__(self, find: Callable[[str], Module | None]) -> None:
        self._find = find
        self._found: dict[str, Module | None] = {}

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name] is not None

    @property
    def seen(self) -> dict[str, Module]:
        """The modules that were looked up and found, by name."""
        return {name: module for name, module in self._found.items() if module is not None}


def read_text(path: Path) -> str:
    """Return the text of a module, with the line ends of Unix. Raises SpecError for a file that is not UTF-8, or no module."""
    require_own_kind(path, ".tla")
    try:
        text = read_bytes(path, MOST_MODULE_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SpecError(
            "this is not UTF-8", where=f"{path.name}:{line}", hint="write the module in UTF-8"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _needed(module: Module, modules: Mapping[str, Module]) -> set[str]:
    """Return the names of all modules that a module extends or instances, directly or not."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        current = waiting.pop()
        waiting += current.inner.values()
        for other in (*current.sees, *current.standard, *current.instanced):
            file = other.partition("!")[0]
            if file not in found:
                found.add(file)
                waiting += [modules[file]] if file in modules else []
    return found - {module.name}


def _as_document(module: Module) -> dict[str, Any]:
    """Return a module as a JSON document, without its path and its text."""
    kept = {key.name: getattr(module, key.name) for key in fields(module) if key.name not in ("path", "text")}
    for key in ("definitions", "instances"):
        kept[key] = [_values(each) for each in kept[key].values()]
    kept["statements"] = [_values(each) for each in kept["statements"]]
    kept["inner"] = {name: _as_document(inner) for name, inner in kept["inner"].items()}
    return kept


def _values(value: Definition | Instance | Statement) -> list[Any]:
    return [getattr(value, key.name) for key in fields(value)]


@lru_cache(maxsize=512)
def _kept_module(kept: str, path: Path, text: str) -> tuple[dict[str, str], Module]:
    """Return the digests of what a module needs, by name, and the module; libraries of one process share it."""
    document = json.loads(kept)
    return document["needs"], _module(document["module"], path, text)


def _module(kept: dict[str, Any], path: Path, text: str) -> Module:
    definitions = [Definition(*_tuples(each)) for each in kept["definitions"]]
    instances = [Instance(*_tuples(each)) for each in kept["instances"]]
    return Module(
        path=path,
        text=text,
        **{
            **{key: _tuples([value])[0] for key, value in kept.items()},
            "definitions": {each.name: each for each in definitions},
            "instances": {each.name: each for each in instances},
            "statements": tuple(Statement(*_tuples(each)) for each in kept["statements"]),
            "inner": {name: _module(inner, path, text) for name, inner in kept["inner"].items()},
        },
    )


def _tuples(values: list[Any]) -> list[Any]:
    """Return values with tuples for lists of strings, as the fields of a module have them."""
    return [
        tuple(v) if isinstance(v, list) and all(isinstance(part, str) for part in v) else v for v in values
    ]


@cache
def _code() -> str:
    """Return the digest of the code that reads and caches modules."""
    return code_digest("tla")
