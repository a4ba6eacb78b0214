"""What a module's behaviour depends on in this package: itself, all that it imports, and their data files."""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ROOT: Final = Path(__file__).resolve().parents[2]
_NO_DATA: Final = (".py", ".pyc")


def code_digest(*modules: str, alone: Iterable[str] = ()) -> str:
    """Digest the source of ``modules`` (dotted names), of all that they import here, and of the data in their rooms.

    Of the modules ``alone`` the source itself is digested, and not what they import.

    It is the same for the same files: a job whose digest is unchanged would be run by the same code.
    """
    digest = hashlib.sha256()
    for path in code_files(*modules, alone=alone):
        digest.update(path.relative_to(_ROOT).as_posix().encode())
        digest.update(_file_digest(path))
    return digest.hexdigest()


def code_files(*modules: str, alone: Iterable[str] = ()) -> list[Path]:
    """Return the files that :func:`code_digest` digests, sorted."""
    found = {path for path in map(_file, alone) if path is not None}
    for module in modules:
        found |= imported_modules(module)
    rooms = {path.parent for path in found} - {_ROOT}
    found |= {data for room in rooms for data in _data(room)}
    return sorted(found)


@cache
def _data(room: Path) -> tuple[Path, ...]:
    return tuple(path for path in room.rglob("*") if path.suffix not in _NO_DATA and path.is_file())


def _file_digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


@cache
def imported_modules(module: str) -> frozenset[Path]:
    """Return the files of a module and of all modules of this package that it imports, directly or not.

    Imports inside functions count, and those for type checkers do not; a package counts with its ``__init__``.
    """
    found: set[Path] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _file(name)
        if path is None or path in found:
            continue
        found.add(path)
        waiting += [name.rpartition(".")[0], *_imports(path)]
    return frozenset(found)


def _file(name: str) -> Path | None:
    first, *rest = name.split(".")
    if first != _ROOT.name:
        return None
    path = _ROOT.joinpath(*rest)
    return next((p for p in (path / "__init__.py", path.with_suffix(".py")) if p.is_file()), None)


@cache
def _imports(path: Path) -> tuple[str, ...]:
    return tuple(_imported_names(path))


def _imported_names(path: Path) -> Iterator[str]:
    package = [_ROOT.name, *path.relative_to(_ROOT).parent.parts]
    waiting: list[ast.AST] = [ast.parse(path.read_bytes())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and _for_types_only(node.test):
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (base, node.module or "")))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _for_types_only(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"
