"""Modules to explore, and TLC's graphs of them."""

from __future__ import annotations

from pathlib import Path

from pyharness.models.machine_tools import find_tools
from pyharness.models.spec_check import Bounds
from pyharness.show.any_spec.spec_graph import GraphReader
from pyharness.show.any_spec.spec_subject import SpecSubject
from pyharness.tla.plain_models.plain_model import read_model

SPECS = Path(__file__).parents[2] / "models" / "specs"


def reader(path, config=None, seconds=60, **options):
    """The model in a file, or in one of the modules to test with by its name; and what reads its graph."""
    model = read_model(SPECS / f"{path}.tla" if isinstance(path, str) else path, config, **options)
    return model, GraphReader(model, find_tools(), Bounds(seconds, 1024))


def subject(path, **options):
    """The graph of a model, to be explored."""
    model, own = reader(path, **options)
    return SpecSubject(model, own.graph(), own)
