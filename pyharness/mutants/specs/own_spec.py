"""A shipped spec, on graphs, as a model that has no more than a module and a configuration."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import find_plan
from pyharness.gate.plans.plan import read_plan
from pyharness.gate.plans.requested_model import requested_model
from pyharness.models.plain_form import plain_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyharness.base.topology import Topology
    from pyharness.tla.plain_models.plain_model import PlainModel


@contextmanager
def plain_model_of(
    spec: str,
    specs: Path,
    *,
    named: str | None = None,
    topologies: tuple[Topology, ...] = (),
    items: int | None = None,
    constants: Mapping[str, int | str] | None = None,
) -> Iterator[PlainModel]:
    """Give a model of a spec in the plan quick, changed as asked for, and of it the modules that may be changed.

    It is the one that is ``named``, or the first. Those modules are the spec and what it extends, and not the
    application. The model is gone afterwards.

    Raises SpecError for what does not exist or does not fit.
    """
    plan = read_plan(find_plan("quick", specs), specs)
    if named is not None:
        of_spec = [
            each for each in plan.models if each.spec == spec and not each.mutant and each.expect == "pass"
        ]
        if named not in (known := [each.name for each in of_spec]):
            raise SpecError.unknown(f"model of {spec}", named, known, where="model")
        plan = replace(plan, models=tuple(each for each in of_spec if each.name == named))
    model = requested_model(spec, plan, topologies=topologies, items=items, constants=constants)
    with tempfile.TemporaryDirectory(prefix="pyharness-own-") as directory:
        yield plain_form(model, plan.library, Path(directory))
