"""The log of a real run, and how it is checked against its spec."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class LogSource:
    """The log of a run: its ``name``, its directory, the protocol ("" for that of the headers), and whether TLC checks it."""

    name: str
    directory: Path
    protocol: str = ""
    tlc: bool = True
