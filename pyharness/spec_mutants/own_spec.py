"""A shipped spec, on graphs, as a model that has no more than a module and a configuration."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pyharness.any_spec.config_file import parse_config
from pyharness.any_spec.plain_model import PlainModel
from pyharness.modules.library import Library
from pyharness.plan.plan import read_plan
from pyharness.plan.requested_model import requested_model
from pyharness.toolchain.spec_files import find_plan, module_directories

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.topology import Topology

__all__ = ["plain_model_of"]


@contextmanager
def plain_model_of(
    spec: str,
    specs: Path,
    *,
    topologies: tuple[Topology, ...] = (),
    items: int | None = None,
    constants: Mapping[str, int | str] | None = None,
) -> Iterator[PlainModel]:
    """Give the model of a spec in the plan quick, changed as asked for, and of it the modules that may be changed.

    Those are the spec and what it extends, and not the application. It is gone afterwards.

    Raises SpecError for what does not exist or does not fit.
    """
    plan = read_plan(find_plan("quick", specs), specs)
    model = requested_model(spec, plan, topologies=topologies, items=items, constants=constants)
    rendered = model.render(plan.library)
    with tempfile.TemporaryDirectory(prefix="pyharness-own-") as directory:
        place = Path(directory)
        path = place / f"{rendered.module}.tla"
        path.write_text(rendered.tla, encoding="utf-8")
        library = Library(place, *module_directories(specs), ahead=False)
        changed = frozenset(module.name for module in library.closure(spec))
        yield PlainModel(
            path,
            parse_config(rendered.cfg, f"{model.name} of the plan quick"),
            library,
            changed=changed,
            title=spec,
        )
