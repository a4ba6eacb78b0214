"""Where in the files of a clone something is stated: a property, a mutant, a model of a plan."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyharness.gate.plans.plan import row_name
from pyharness.tla.modules.places import Place, place_of
from pyharness.tla.tlc.spec_problems import spec_problems

if TYPE_CHECKING:
    from pathlib import Path

    from pyharness.gate.plans.plan import Plan
    from pyharness.gate.plans.plan_modules import AnyModel
    from pyharness.tla.modules.library import Library

_HEAD: Final = re.compile(r'\s*name\s*=\s*"([^"]*)"')


def property_place(library: Library, spec: str, name: str) -> Place | None:
    """Find where the property ``name`` of the module ``spec``, or of one it extends, is defined."""
    if not library.defines(spec, name):
        return None
    found = library.definition(spec, name)
    return place_of(library.module(found.module).path, found.line)


def mutant_place(library: Library, mutant: str) -> Place:
    """Find what a mutant's module breaks: the first definition that has its name, and so takes another one's place."""
    module = library.module(mutant)
    lines = {name: found.line for name, found in module.definitions.items()}
    own = [line for name, line in lines.items() if name.startswith(mutant)]
    return place_of(module.path, min(own or lines.values(), default=1))


def model_place(plan: Plan, model: AnyModel) -> Place:
    """Find the line of a plan that names a model or a spec, or that has a mutant's row in its matrix."""
    line, mutant = 1, getattr(model, "mutant", None)
    for number, text in enumerate(plan.path.read_text(encoding="utf-8").split("\n"), start=1):
        if head := _HEAD.match(text):
            if head[1] == model.name:
                return place_of(plan.path, number)
            line = number if mutant and row_name(head[1], mutant) == model.name else line
        elif line > 1 and re.search(rf"\b{mutant}\s*=", text):
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
