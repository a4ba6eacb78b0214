"""Where in the files of a clone something is stated: a property, a mutant, a model of a plan."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.plan.plan import row_name
from pyharness.tlc.spec_problems import spec_problems

if TYPE_CHECKING:
    from pyharness.plan.model import Model
    from pyharness.plan.plan import Plan
    from pyharness.plan.spec_modules import Library

__all__ = [
    "Place",
    "example_place",
    "model_place",
    "mutant_place",
    "named_place",
    "place_of",
    "property_place",
]

_HEAD: Final = re.compile(r'\s*name\s*=\s*"([^"]*)"')


@dataclass(frozen=True, slots=True)
class Place:
    """A line (from 1) of a file, whose path is relative to the working directory where the file is below it."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def property_place(library: Library, spec: str, name: str) -> Place | None:
    """Find where the property ``name`` of the module ``spec``, or of one it extends, is defined."""
    for module in library.closure(spec):
        if name in module.definitions:
            return place_of(module.path, module.definitions[name])
    return None


def mutant_place(library: Library, mutant: str) -> Place:
    """Find what a mutant's module breaks: the first definition that has its name, and so takes another one's place."""
    module = library.module(mutant)
    places = {name: line for name, line in module.definitions.items() if name.startswith(mutant)}
    return place_of(module.path, min((places or module.definitions).values(), default=1))


def model_place(plan: Plan, model: Model) -> Place:
    """Find the line of a plan that names a model, or that has a mutant's row in its matrix."""
    line = 1
    for number, text in enumerate(plan.path.read_text(encoding="utf-8").split("\n"), start=1):
        if head := _HEAD.match(text):
            if head[1] == model.name:
                return place_of(plan.path, number)
            line = number if model.mutant and row_name(head[1], model.mutant) == model.name else line
        elif line > 1 and re.search(rf"\b{model.mutant}\s*=", text):
            return place_of(plan.path, number)
    return place_of(plan.path, line)


def example_place(specs: Path, name: str) -> Place:
    """Return the file of a worked example."""
    return place_of(specs / "examples" / f"{name}.toml", 1)


def named_place(library: Library, text: str) -> Place | None:
    """Find the first place of a module of the library that a message of TLC names (``line 3, col 1 … of module M``)."""
    for problem in spec_problems(text):
        if problem.module and problem.line and problem.module in library:
            return place_of(library.path(problem.module), problem.line)
    return None


def place_of(path: Path, line: int) -> Place:
    """Return a place in a file."""
    full, here = path.resolve(), Path.cwd().resolve()
    return Place((full.relative_to(here) if full.is_relative_to(here) else path).as_posix(), line)
