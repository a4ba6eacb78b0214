"""The models of a plan that are a module with its own configuration, and without graphs: ``module = "Mutex.tla"``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pyharness.base.errors import SpecError, nearest
from pyharness.base.toolchain.toml_tables import FLAG, LIST, value
from pyharness.models.bounds import Budget, Pins
from pyharness.models.model import Model
from pyharness.tla.plain_models.plain_model import read_model

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.base.toolchain.toml_tables import Kind, Table
    from pyharness.base.topology import Topology
    from pyharness.models.bounds import SimulationBudget
    from pyharness.tla.plain_models.plain_model import PlainModel

_AS_OF_MODELS: Final = ("name", "properties", "expect", "caught_by", "pins", "budget")


@dataclass(frozen=True)
class ModuleModel:
    """A ``module``'s file with its ``config``, or what stands in for one (:func:`read_model`), and what must come out.

    ``constants`` are ``NAME=VALUE``; without ``properties`` all are checked. If it is ``strict``, an action that is
    never taken, or a premise that is never reached, makes it incomplete. What is violated first is ``caught_by``: a
    property, or what TLC found instead, such as ``deadlock``. What is not in ``pins`` may be any number.
    """

    name: str
    module: Path
    config: Path | None = None
    constants: tuple[str, ...] = ()
    libraries: tuple[Path, ...] = ()
    properties: tuple[str, ...] = ()
    strict: bool = False
    expect: str = "pass"
    caught_by: tuple[str, ...] = ()
    pins: Pins | None = None
    budget: Budget = field(default_factory=Budget)

    invariants: ClassVar[tuple[str, ...]] = ()
    topologies: ClassVar[tuple[Topology, ...]] = ()
    overrides: ClassVar[Mapping[str, str]] = {}
    mutant: ClassVar[str | None] = None
    simulate: ClassVar[SimulationBudget | None] = None
    silent: ClassVar[tuple[str, ...]] = ()
    conform: ClassVar[bool] = False
    """The fields that only a model on graphs has; a module has their empty values."""

    @property
    def spec(self) -> str:
        """The name of its module."""
        return self.module.stem

    def read(self) -> PlainModel:
        """Return the model that is checked. Raises what :func:`read_model` raises, and SpecError for no property."""
        model = read_model(self.module, self.config, constants=self.constants, libraries=self.libraries)
        return model.only(self.properties) if self.properties else model


AnyModel = Model | ModuleModel
"""A model of a plan: of a spec on graphs, or of a module without graphs."""


def read_module_model(table: Table, beside: Path, kinds: Mapping[str, Kind[Any]]) -> ModuleModel:
    """Read a table of a plan; files are relative to the directory ``beside``, and no links.

    ``kinds`` are those of the keys of a model on graphs. Raises SpecError for a table that has other keys, or names a
    file that is not there.
    """
    file, directory = _place(beside), _place(beside, of_directory=True)
    own: dict[str, Kind[Any]] = {
        **{key: kinds[key] for key in _AS_OF_MODELS},
        "module": _place(beside, ".tla"),
        "config": file,
        "constants": value(
            "a table of names, each with a number, or a value of TLA+ as text",
            dict,
            lambda given: all(isinstance(each, int | str) for each in given.values()),
            lambda given: tuple(f"{name}={_tla(each)}" for name, each in given.items()),
        ),
        "libraries": lambda of, key: tuple(
            directory(of.within(key, {str(number): each}), str(number))
            for number, each in enumerate(LIST(of, key))
        ),
        "strict": FLAG,
    }
    source = table.read(ModuleModel, own)
    if source.expect == "pass" and source.caught_by:
        raise table.error('goes with expect = "violation"', "caught_by")
    if source.expect == "violation" and len(source.caught_by) != 1:
        hint = "of the others make models of their own, with properties = [...]"
        raise table.error("must name the one that TLC finds violated first", "caught_by", hint)
    if source.expect == "violation" and source.pins:
        raise table.error("a run that ends at a violation has no counts to pin", "pins")
    if source.pins and source.pins.transitions:
        raise table.error("transitions are counted of models with graphs", "pins")
    return source


def _place(beside: Path, suffix: str = "", *, of_directory: bool = False) -> Kind[Path]:
    """Return the kind of paths, relative to the directory ``beside``, of files or of directories that are there."""

    def made(given: str) -> Path:
        path = beside / given
        if suffix and path.suffix != suffix:
            raise SpecError(f"must be the file of a module, FOO{suffix}, not {given!r}")
        try:
            linked, there = path.is_symlink(), path.is_dir() if of_directory else path.is_file()
        except OSError as error:
            raise SpecError(f"cannot be looked at: {error.strerror}") from None
        if linked:
            raise SpecError(f"{given} is a link", hint="name what it leads to")
        if not there:
            near = sorted(each.name for each in path.parent.glob(f"*{path.suffix}"))
            raise SpecError(f"{given} is not there, or no file of its kind", hint=nearest(path.name, near))
        return path

    return value(
        "a path relative to the plan", str, lambda given: given and not Path(given).is_absolute(), made
    )


def _tla(given: int | str) -> str:
    return str(given).upper() if isinstance(given, bool) else str(given)
