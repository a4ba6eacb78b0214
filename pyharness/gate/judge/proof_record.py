"""What the solvers proved on this machine, for who tells of proofs without asking: sealed, and of these very texts.

A record is of the formulas, the code that asks the solvers, and the specs as they are: when one of them changes there
is none. It is in the user's own cache.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError
from pyharness.base.toolchain.bounded_files import MOST_MODULE_BYTES, read_bytes
from pyharness.base.toolchain.code_digest import code_digest
from pyharness.base.toolchain.own_files import write_text
from pyharness.base.toolchain.seal import is_sealed, own_cache, seal
from pyharness.base.toolchain.spec_files import SPECS
from pyharness.prove.proof_catalogue import MODULES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_KIND: Final = "proved"


def remember_proved(obligations: Iterable[str]) -> None:
    """Remember that all solvers proved these, each a ``subject/obligation``, beside what was proved before."""
    file = _file()
    if file is not None:
        text = json.dumps(sorted({*proved_here(), *obligations}))
        write_text(file, f"{seal(_KIND, _digest(), text)}\n{text}")


def proved_here() -> frozenset[str]:
    """Return what all solvers proved on this machine of the formulas and specs as they are."""
    file = _file()
    try:
        given = "" if file is None else read_bytes(file, MOST_MODULE_BYTES).decode("utf-8")
    except (SpecError, ValueError):
        return frozenset()
    found, _, text = given.partition("\n")
    return frozenset(json.loads(text)) if is_sealed(found, _KIND, _digest(), text) else frozenset()


def _file() -> Path | None:
    cache_directory = own_cache()
    return None if cache_directory is None else cache_directory / "proved" / f"{_digest()[:24]}.json"


@cache
def _digest() -> str:
    texts = (read_bytes(SPECS / f"{name}.tla", MOST_MODULE_BYTES) for name in sorted(MODULES))
    told = [
        code_digest("base", "tla", "machines", "prove"),
        *(hashlib.sha256(text).hexdigest() for text in texts),
    ]
    return hashlib.sha256(" ".join(told).encode()).hexdigest()
