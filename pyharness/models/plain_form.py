"""Convert a model on graphs into a plain model: a module and a configuration."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import HarnessError
from pyharness.tla.modules.library import Library
from pyharness.tla.plain_models.config_file import parse_config
from pyharness.tla.plain_models.plain_model import PlainModel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.models.model import Model
    from pyharness.models.render import Rendered


_LONGEST: Final = 100


def plain_form(model: Model, library: Library, place: Path, *, watched: bool = False) -> PlainModel:
    """Return a model as a plain module, which is written to the directory ``place``.

    Mutation applies to the spec and the modules it extends, not to the application. Deadlock is not checked, since a
    dataflow ends. ``watched`` is that of :meth:`Model.render`, for a graph that is compared.

    If behaviours begin in states of walks, perhaps a thousand, the library reads a module with only the first one:
    SANY would describe each part of each state.
    """
    rendered = _rendered(model, library, watched=watched)
    path = read = _written(rendered, place)
    if model.wander:
        (place / "read").mkdir(exist_ok=True)
        read = _written(_rendered(model, library, watched=watched, begins=1), place / "read")
    return PlainModel(
        path,
        replace(parse_config(rendered.cfg, model.name), check_deadlock=False),
        Library(read.parent, *library.directories, ahead=False),
        changed=frozenset(module.name for module in library.closure(model.spec)),
        title=model.spec,
        unreached=frozenset(each.partition(".")[0] for each in model.unreached),
        silent=frozenset(model.silent),
    )


def read_ahead(models: Iterable[Model], library: Library) -> None:
    """Read the modules of models in one run of SANY, so that their checks find them in the cache.

    If one of them cannot be read or written, none is: the check of each model reports the reason.
    """
    with TemporaryDirectory(prefix="pyharness-read-") as directory, suppress(HarnessError, OSError):
        place = Path(directory)
        parts = [replace(model, topologies=graphs) for model in models for graphs in model.batches]
        rendered = (_rendered(model, library, watched=model.conform, begins=1) for model in parts)
        names = [_written(each, place).stem for each in rendered]
        read = Library(place, *library.directories, ahead=names)
        for name in names:  # the first one that is not kept has all that are not kept read
            read.module(name)


def _rendered(model: Model, library: Library, *, watched: bool, begins: int | None = None) -> Rendered:
    name = re.sub(r"[^A-Za-z0-9]", "_", f"Model_{model.name}_{model.topologies[0].id}")
    if len(name) > _LONGEST:  # too long for the name of a file
        name = f"{name[:_LONGEST]}_{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    return model.render(library, watched=watched, module=name, begins=begins)


def _written(rendered: Rendered, place: Path) -> Path:
    path = place / f"{rendered.module}.tla"
    path.write_text(rendered.tla, encoding="utf-8")
    return path
