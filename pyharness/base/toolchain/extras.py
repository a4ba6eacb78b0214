"""The optional extras of this package: what each installs, whether it is there, and the message that it is missing."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from pyharness.base.errors import SpecError

EXTRAS: Final = {
    "bytewax": {"bytewax": "bytewax"},
    "flink": {"JPype1": "jpype", "apache-flink-libraries": "pyflink"},
    "notebook": {"pandas": "pandas"},
    "prove": {"cvc5": "cvc5", "z3-solver": "z3"},
    "spark": {"pyarrow": "pyarrow", "pyspark": "pyspark"},
}
"""The packages of each extra of pyproject.toml, each with the module or directory that it installs."""

_MAKE: Final = {"bytewax": "systems-quick", "flink": "flink", "prove": "prove"}
"""The command that installs an extra in a clone; `make setup` does the others."""


def missing(extra: str) -> list[str]:
    """Return the names of the packages of an extra that are not installed."""
    return [package for package, module in EXTRAS[extra].items() if find_spec(module) is None]


def install(extra: str) -> str:
    """Return a hint how to install an extra, by its packages' names, for this package's name on PyPI is not ours."""
    return f"pip install {' '.join(EXTRAS[extra])}, or in a clone `make {_MAKE.get(extra, 'setup')}`"


def require_extra(extra: str, *packages: str, where: str | None = None) -> None:
    """Require an extra, or these ``packages`` of it, for the request at ``where``.

    Raises SpecError, whose hint is how to install it.
    """
    absent = [package for package in missing(extra) if package in (packages or EXTRAS[extra])]
    if absent:
        lacking = f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} not installed"
        raise SpecError(f"{lacking}: the extra [{extra}]", where=where, hint=install(extra))
