"""A model on graphs as a model that has no more than a module and a configuration."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyharness.tla.modules.library import Library
from pyharness.tla.plain_models.config_file import parse_config
from pyharness.tla.plain_models.plain_model import PlainModel

if TYPE_CHECKING:
    from pathlib import Path

    from pyharness.models.model import Model


def plain_form(model: Model, library: Library, place: Path) -> PlainModel:
    """Return a model as a module of its own, which is written to the directory ``place``.

    Its mutants are those of the spec and of what that extends, and not of the application. A dataflow ends, so that no
    deadlock is looked for.
    """
    rendered = model.render(library)
    path = place / f"{rendered.module}.tla"
    path.write_text(rendered.tla, encoding="utf-8")
    return PlainModel(
        path,
        replace(parse_config(rendered.cfg, model.name), check_deadlock=False),
        Library(place, *library.directories, ahead=False),
        changed=frozenset(module.name for module in library.closure(model.spec)),
        title=model.spec,
        unreached=frozenset(each.partition(".")[0] for each in model.unreached),
        silent=frozenset(model.silent),
    )
