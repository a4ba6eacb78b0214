"""``pyharness traces``: regenerate the exported traces."""

from __future__ import annotations

import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pyharness.errors import IncompleteError
from pyharness.pipeline.examples import check_example, example_names
from pyharness.pipeline.execute import shortest_counterexample
from pyharness.pipeline.places import ROOT, SPECS, find_plan, find_tools
from pyharness.pipeline.plan import Plan, read_plan
from pyharness.replay import implementation_of
from pyharness.report import to_text
from pyharness.tlc.itf import to_itf

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.pipeline.model import Model
    from pyharness.tlc import Trace

__all__ = ["traces"]


@click.command()
@click.argument("plan", default="quick")
@click.option(
    "--out", type=click.Path(path_type=Path), default=ROOT / "traces", help="The directory to write."
)
def traces(plan: str, out: Path) -> None:
    """Write the shortest counterexample of each mutant of PLAN, and each worked example, as ITF and as text.

    A worked example that is refused, as it should be, has a text that says where and why.

    The same specs and the same TLC give the same bytes. Exits with 3 if a mutant has no counterexample or an
    example does not come out as published.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    fresh.chmod(0o755)
    try:
        _regenerate(fresh, read_plan(find_plan(plan), SPECS))
        _keep(out / "README.md", fresh / "README.md")
        shutil.rmtree(out, ignore_errors=True)
        fresh.rename(out)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    click.echo(f"{len(list(out.glob('*.itf.json')))} traces in {out.name}/")


def _regenerate(fresh: Path, read: Plan) -> None:
    tools = find_tools()
    seeded: dict[str, Model] = {}
    for model in read.models:
        if model.mutant is not None and implementation_of(model.spec) == model.spec:
            seeded.setdefault(model.mutant, model)
    with ThreadPoolExecutor(2) as pool:
        traces = pool.map(lambda model: shortest_counterexample(model, read.library, tools), seeded.values())
        for (mutant, model), trace in zip(seeded.items(), traces, strict=True):
            violated = model.caught_by[0]
            title = f"{mutant}, a mutant of {model.spec}: {violated} is violated"
            meta = {
                "title": title,
                "spec": model.spec,
                "mutant": mutant,
                "violated": violated,
                "granularity": model.granularity,
                **model.setting,
            }
            _write(fresh, mutant, trace, meta)
    for name in example_names():
        result = check_example(name, tools.java, tools.jar)
        if not result.agreed:
            raise IncompleteError(f"the example does not come out as published: {result.message}", where=name)
        title = f"Worked example {name}"
        if result.trace is None:
            (fresh / f"{name}.txt").write_text(f"{title}\n\n{result.message}\n", encoding="utf-8")
        else:
            _write(fresh, name, result.trace, {"title": title, "example": name})


def _write(directory: Path, name: str, trace: Trace, meta: Mapping[str, Any]) -> None:
    (directory / f"{name}.itf.json").write_text(to_itf(trace, meta), encoding="utf-8")
    (directory / f"{name}.txt").write_text(to_text(trace, meta["title"]), encoding="utf-8")


def _keep(old: Path, new: Path) -> None:
    if old.is_file():
        shutil.copyfile(old, new)
