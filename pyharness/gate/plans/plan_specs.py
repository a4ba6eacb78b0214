"""Any specs that a plan names: ``[[spec]]`` tables, each a module with its own configuration, and no graphs."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from pyharness.base.errors import SpecError, nearest
from pyharness.models.bounds import Budget, Pins
from pyharness.tla.plain_models.plain_model import read_model

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyharness.tla.plain_models.plain_model import PlainModel

_AS_OF_MODELS: Final = ("name", "properties", "expect", "caught_by", "pins", "budget")


@dataclass(frozen=True)
class SpecSource:
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

    def read(self) -> PlainModel:
        """Return the model that is checked. Raises what :func:`read_model` raises, and SpecError for no property."""
        model = read_model(self.module, self.config, constants=self.constants, libraries=self.libraries)
        return model.only(self.properties) if self.properties else model


class _Error(Protocol):
    def __call__(
        self, message: str, index: int | None, key: str | None, hint: str | None = None
    ) -> SpecError: ...


def read_specs(
    given: Any, beside: Path, names: list[str], value: Callable[[str, Any, int], Any], error: _Error
) -> tuple[SpecSource, ...]:
    """Read the tables of a plan; files are relative to the directory that the plan is in, and no links.

    ``names`` are those of its models. ``value`` reads what a model says under a key, too; ``error`` makes the error of
    a message, a table's number and a key. Raises it for what is no such table, or names a file that is not there.
    """
    if not isinstance(given, list) or not all(isinstance(table, dict) for table in given):
        raise error("must be [[spec]] tables", None, "spec")
    found: list[SpecSource] = []
    for index, table in enumerate(given):
        source = _Table(table, beside, index, value, error).source()
        if source.name in [*names, *(other.name for other in found)]:
            raise error(f"another model or spec is called {source.name!r}", index, "name")
        found.append(source)
    return tuple(found)


class _Table:
    """Reads one table."""

    def __init__(
        self,
        table: Mapping[str, Any],
        beside: Path,
        index: int,
        value: Callable[[str, Any, int], Any],
        error: _Error,
    ) -> None:
        self._table, self._beside, self._index, self._value, self._error = table, beside, index, value, error

    def source(self) -> SpecSource:
        known = [each.name for each in fields(SpecSource)]
        for key in self._table:
            if key not in known:
                raise self._wrong("no such key", key, nearest(key, known))
        for key in ("name", "module"):
            if key not in self._table:
                raise self._wrong(f"the spec has no {key!r}", None)
        source = SpecSource(**{key: self._read(key, given) for key, given in self._table.items()})
        if source.expect == "pass" and source.caught_by:
            raise self._wrong('goes with expect = "violation"', "caught_by")
        if source.expect == "violation" and len(source.caught_by) != 1:
            hint = "of the others make specs of their own, with properties = [...]"
            raise self._wrong("must name the one that TLC finds violated first", "caught_by", hint)
        if source.expect == "violation" and source.pins:
            raise self._wrong("a run that ends at a violation has no counts to pin", "pins")
        if source.pins and source.pins.transitions:
            raise self._wrong("transitions are counted of models with graphs", "pins")
        return source

    def _read(self, key: str, given: Any) -> Any:
        match key:
            case "module" | "config":
                return self._place(key, given)
            case "libraries" if isinstance(given, list):
                return tuple(self._place(key, each) for each in given)
            case "constants" if isinstance(given, dict) and all(
                isinstance(each, int | str) for each in given.values()
            ):
                return tuple(f"{name}={_tla(each)}" for name, each in given.items())
            case "strict" if isinstance(given, bool):
                return given
            case _ if key in _AS_OF_MODELS:
                return self._value(key, given, self._index)
        kinds = {"libraries": "a list of directories", "strict": "true or false"}
        what = kinds.get(key, "a table of names, each with a number, or a value of TLA+ as text")
        raise self._wrong(f"must be {what}, not {given!r}", key)

    def _place(self, key: str, given: Any) -> Path:
        if not isinstance(given, str) or not given or Path(given).is_absolute():
            raise self._wrong(f"must be a path relative to the plan, not {given!r}", key)
        path = self._beside / given
        if key == "module" and path.suffix != ".tla":
            raise self._wrong(f"must be the file of a module, FOO.tla, not {given!r}", key)
        try:
            linked, there = path.is_symlink(), path.is_dir() if key == "libraries" else path.is_file()
        except OSError as error:
            raise self._wrong(f"cannot be looked at: {error.strerror}", key) from None
        if linked:
            raise self._wrong(f"{given} is a link", key, "name what it leads to")
        if not there:
            near = sorted(each.name for each in path.parent.glob(f"*{path.suffix}"))
            raise self._wrong(f"{given} is not there, or no file of its kind", key, nearest(path.name, near))
        return path

    def _wrong(self, message: str, key: str | None, hint: str | None = None) -> SpecError:
        return self._error(message, self._index, key, hint)


def _tla(value: int | str) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)
