"""Where the specs and plans are: those that are shipped, and a user's own, which extend them.

The shipped ones are ``specs/`` at the top of a clone, and travel inside the package where it is installed from a wheel.
A user's own directory has the same form: modules, and below it ``mutants/``, ``plans/``, ``examples/`` and
``claims.toml``, each of which may be missing. A name is looked up there first, then among the shipped ones.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pyharness.base.errors import SpecError, ToolError

_PACKAGE: Final = Path(__file__).resolve().parents[2]

ROOT: Final = _PACKAGE if (_PACKAGE / "specs").is_dir() else _PACKAGE.parent
"""The directory that has the shipped ``specs``: the installed package, or the clone that it runs from."""

SPECS: Final = ROOT / "specs"
"""The shipped specs."""

_NO_PLANS: Final = {".tla": "a module", ".cfg": "a configuration"}


def require_specs(given: Path | None = None) -> Path:
    """Return the directory that is ``given``, or that of the shipped specs, if it has modules or plans.

    Raises ToolError for an installation that lacks the shipped ones, SpecError for a directory of the user's that is
    empty of them.
    """
    specs = given or SPECS
    if any(specs.glob("*.tla")) or any(specs.glob("plans/*.toml")):
        return specs
    if specs == SPECS:
        raise ToolError(
            "no specs are installed, so nothing can be checked",
            where=str(specs),
            hint="install pyharness from its wheel, or from a clone with `make setup`",
        )
    raise SpecError(
        "there is neither a module nor a plan in this directory",
        where=str(specs),
        hint="it needs *.tla or plans/*.toml; `pyharness init` writes a starter",
    )


def require_own(path: Path) -> Path:
    """Return a file that is to be rewritten.

    Raises SpecError for one of an installed package, which is not the user's.
    """
    if ROOT == _PACKAGE and path.resolve().is_relative_to(_PACKAGE):
        raise SpecError(
            "this file is part of the installed package", where=str(path), hint="copy it below ./specs first"
        )
    return path


def specs_here() -> Path:
    """Return the directory ``specs`` of the working directory if it has modules or plans, else the shipped one."""
    own = Path("specs").resolve()
    return own if any(own.glob("*.tla")) or any(own.glob("plans/*.toml")) else SPECS


def layers(specs: Path) -> tuple[Path, ...]:
    """Return the directories in which a name is looked for, the nearest first: ``specs``, then the shipped."""
    return (specs,) if specs.resolve() == SPECS else (specs, SPECS)


def module_directories(specs: Path = SPECS) -> tuple[Path, ...]:
    """Return the directories in which TLC and the reader of specs look for a module, the nearest first."""
    return tuple(
        directory for layer in layers(specs) for directory in (layer, layer / "mutants", layer / "inductive")
    )


def shipped_mutants() -> frozenset[str]:
    """Return the names of the shipped seeded bugs, each a module of ``specs/mutants``."""
    return frozenset(path.stem for path in (SPECS / "mutants").glob("*.tla"))


def require_no_java(specs: Path = SPECS) -> None:
    """Require that no compiled Java lies among the modules, where TLC would run it instead of their definitions.

    TLC never sees it here (:mod:`pyharness.tla.tlc.run`); but its author expects another result.

    Raises SpecError if there is some.
    """
    for layer in layers(specs):
        below = (path for directory in module_directories(specs) for path in directory.glob("*.class"))
        for path in sorted({*layer.rglob("*.class"), *below}):
            raise SpecError(
                f"TLC would run this Java in the place of what the module {path.stem} defines",
                where=str(path),
                hint="take it out of the directory of the specs",
            )


def named_files(kind: str, specs: Path = SPECS) -> dict[str, Path]:
    """Return the files ``kind/NAME.toml`` by name, sorted (``kind`` is ``plans`` or ``examples``)."""
    found: dict[str, Path] = {}
    for layer in reversed(layers(specs)):
        found |= {path.stem: path for path in (layer / kind).glob("*.toml")}
    return dict(sorted(found.items()))


def stand_ins(specs: Path, plan: Path | None = None) -> tuple[str, ...]:
    """Return the names of files of ``specs``, and of the ``plan``, that replace shipped ones of the same name and other text."""
    own = specs.resolve()
    found = []
    for layer in layers(specs)[:-1]:
        for pattern in (
            "*.tla",
            "mutants/*.tla",
            "inductive/*.tla",
            "plans/*.toml",
            "examples/*.toml",
            "*.toml",
        ):
            found += [path for path in sorted(layer.glob(pattern)) if _differs(path, path.relative_to(layer))]
    names = [path.relative_to(specs).as_posix() for path in found]
    if (
        plan is not None
        and not plan.resolve().is_relative_to(own)
        and _differs(plan, Path("plans", plan.name))
    ):
        names.append(plan.name)
    return tuple(names)


def _differs(path: Path, name: Path) -> bool:
    shipped = SPECS / name
    if not shipped.is_file() or path.resolve() == shipped:
        return False
    same_size = is_file(path) and path.stat().st_size == shipped.stat().st_size
    return not same_size or path.read_bytes() != shipped.read_bytes()


def find_file(name: str, specs: Path = SPECS) -> Path:
    """Return the nearest file of this name, such as ``claims.toml``; the shipped place if there is none."""
    return next((layer / name for layer in layers(specs) if (layer / name).is_file()), SPECS / name)


def is_file(path: Path) -> bool:
    """Return whether a regular file exists at a path; false for a name that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def find_plan(name: str, specs: Path | None = None) -> Path:
    """Find a plan by its name below ``plans``, in ``specs`` (default :func:`specs_here`), or by its path.

    Raises SpecError when there is neither, and for the file of a module or of a configuration.
    """
    named = named_files("plans", specs or specs_here())
    if name in named:
        return named[name]
    if is_file(path := Path(name)):
        if what := _NO_PLANS.get(path.suffix):
            module = path.with_suffix(".tla")
            hint = f"`pyharness check {module}` takes a module, with its configuration by --config"
            raise SpecError(
                f"it is {what}, and no plan",
                where=name,
                hint=f"{hint}; a plan names it in a [[model]] table, as its module",
            )
        if path.suffix not in {"", ".toml"}:
            raise SpecError("neither a module (.tla) nor a plan (.toml)", where=name)
        return path
    raise SpecError.unknown("plan", name[:200], named, otherwise="or name a file")
