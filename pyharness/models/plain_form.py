"""A model on graphs as a model that has no more than a module and a configuration."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pyharness.base.errors import HarnessError
from pyharness.tla.modules.library import Library
from pyharness.tla.plain_models.config_file import parse_config
from pyharness.tla.plain_models.plain_model import PlainModel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.models.model import Model
    from pyharness.models.render import Rendered


def plain_form(model: Model, library: Library, place: Path) -> PlainModel:
    """Return a model as a module of its own, which is written to the directory ``place``.

    Its mutants are those of the spec and of what that extends, and not of the application. A dataflow ends, so that no
    deadlock is looked for.
    """
    rendered = _rendered(model, library)
    return PlainModel(
        _written(rendered, place),
        replace(parse_config(rendered.cfg, model.name), check_deadlock=False),
        Library(place, *library.directories, ahead=False),
        changed=frozenset(module.name for module in library.closure(model.spec)),
        title=model.spec,
        unreached=frozenset(each.partition(".")[0] for each in model.unreached),
        silent=frozenset(model.silent),
    )


def read_ahead(models: Iterable[Model], library: Library) -> None:
    """Read the modules of models in one run of SANY, so that :func:`plain_form` finds them among those that are kept.

    Where one of them cannot be read, none is: the check of each one gives the reason.
    """
    with TemporaryDirectory(prefix="pyharness-read-") as directory, suppress(HarnessError):
        place = Path(directory)
        names = [_written(_rendered(model, library), place).stem for model in models]
        if names:
            Library(place, *library.directories, ahead=names).module(names[0])


def _rendered(model: Model, library: Library) -> Rendered:
    # its graph, which is compared, shows in which states a predicate holds
    return model.render(
        library, watched=model.conform, module=f"Model_{re.sub(r'[^A-Za-z0-9]', '_', model.name)}"
    )


def _written(rendered: Rendered, place: Path) -> Path:
    path = place / f"{rendered.module}.tla"
    path.write_text(rendered.tla, encoding="utf-8")
    return path
