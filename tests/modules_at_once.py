"""Modules of several cases, read in one run of SANY: each is in the cache when its case reads it alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyharness.tla.modules.library import Library
from pyharness.tla.plain_models.plain_model import STAND_INS

if TYPE_CHECKING:
    from pathlib import Path


def read_at_once(place: Path) -> None:
    """Read all modules of a directory."""
    names = sorted(path.stem for path in place.glob("*.tla"))
    Library(place, STAND_INS, ahead=names).module(names[0])
