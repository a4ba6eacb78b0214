"""Put a mutant's code in the place of a function that runs, in this process."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Self

from pyharness.mutation.code_mutants import mutated_code

if TYPE_CHECKING:
    from pathlib import Path
    from types import CodeType, FunctionType

    from pyharness.mutation.code_mutants import AnyMutant, CodeMutant

PROTOCOLS: Final = "pyharness.protocols"
"""The package that is mutated by default."""


def swap(mutant: AnyMutant, root: Path, package: str = PROTOCOLS, *, guards: bool = False) -> None:
    """Let the mutant's functions do what it says, for everyone in this process who calls them.

    ``package`` is that of the files in ``root``; ``guards`` is as it was when the mutants were made.
    """
    by_function: dict[tuple[str, str], list[CodeMutant]] = {}
    for part in mutant.parts:
        by_function.setdefault((part.file, part.function), []).append(part)
    for name, parts in by_function.items():
        function_of(*name, package).__code__ = mutated_code(parts, root, guards=guards)


def function_of(file: str, name: str, package: str = PROTOCOLS) -> FunctionType:
    """Return the function of this qualified name in a file of a package."""
    module = f"{package}.{file.removesuffix('.py').replace('/', '.')}".removesuffix(".__init__")
    found: Any = import_module(module)
    for part in name.split("."):
        found = found.__dict__[part]
    if isinstance(found, property):
        found = found.fget
    function: FunctionType = getattr(found, "__func__", found)
    return function


class Reached:
    """Notes which functions below ``root`` run while it is entered, each as its file and qualified name.

    A comprehension or a function within a function counts as that.
    """

    def __init__(self, root: Path) -> None:
        self._root = f"{root}/"
        self._codes: set[CodeType] = set()

    def __enter__(self) -> Self:
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _note(self, frame: Any, event: str, _: object) -> None:
        if event == "call":
            self._codes.add(frame.f_code)

    @property
    def functions(self) -> frozenset[tuple[str, str]]:
        """The functions that ran."""
        return frozenset(
            (code.co_filename.removeprefix(self._root), code.co_qualname.split(".<", 1)[0])
            for code in self._codes
            if code.co_filename.startswith(self._root)
        )
