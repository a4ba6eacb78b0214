"""A module and its configuration, ready for TLC: from the command line, from a file, or from the module's theorems.

The root module for TLC is our own, and extends the user's. It has definitions that the configuration cannot express, and
the formulas to look for in the states beside the properties. Nothing is written beside the user's files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyharness.base.errors import SpecError, nearest
from pyharness.base.toolchain.clean_text import clean, clip
from pyharness.base.toolchain.spec_files import is_file
from pyharness.tla.modules.expression_text import on_one_line
from pyharness.tla.modules.expressions import Boxed, Infix, Name, Prefix, row
from pyharness.tla.modules.formula_facts import about_states_only
from pyharness.tla.modules.kept_modules import read_text
from pyharness.tla.modules.library import Library
from pyharness.tla.modules.module import TEMPORAL
from pyharness.tla.plain_models.config_file import WORDS, ConfigFile, Constant, parse_constant, read_config
from pyharness.tla.tlc.spec_problems import spec_problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyharness.tla.modules.expressions import Expression
    from pyharness.tla.modules.module import Statement

OWN: Final = "Pyharness"
"""The prefix of every name that the root adds."""

GIVEN: Final = f"{OWN}Given"
"""The prefix of a definition of the root that is a constant's value."""

ROOT: Final = "PyharnessRoot"
"""The name of the root module for TLC."""

TOOLS: Final = f"{OWN}Tools"
TOOLS_PLACE: Final = Path(__file__).parent / "tools"
"""The module with the operators that the root needs of TLC, and its directory."""

STAND_INS: Final = Path(__file__).parent / "stand_ins"
"""The directory of stand-ins for modules that TLC's jar lacks: those of TLAPS, most of CommunityModules."""

_OF_OTHERS: Final = {
    **dict.fromkeys(
        ("GraphViz", "HTML", "MCRealTime", "ShiViz", "Statistics", "VectorClocks"), "CommunityModules"
    ),
    **dict.fromkeys(("Apalache", "Variants"), "Apalache, another checker"),
}
_ALGORITHM: Final = re.compile(r"--(?:fair\s+)?algorithm\b")
_LONGEST: Final = 600
_MISSING: Final = "Cannot find source file for module "


@dataclass(frozen=True)
class PlainModel:
    """A ``module`` in the file ``path`` under a ``config``; ``library`` has it and the modules that it needs.

    ``definitions`` are further lines of the root. ``stated`` is true if the properties are those of theorems, and not of
    a file. ``changed`` are the modules to be mutated, if not all beside the module; ``title`` is the model's name, if not
    its file's. ``sought`` are formulas about states, by name, to look for beside the premises. ``unreached`` are properties
    of which no premise needs to be reached, ``silent`` actions that may never be taken. ``unasked`` are the places of
    theorems about behaviours that are not checked.
    """

    path: Path
    config: ConfigFile
    library: Library
    definitions: tuple[str, ...] = ()
    stated: bool = False
    changed: frozenset[str] | None = None
    title: str = ""
    unreached: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    sought: Mapping[str, str] = field(default_factory=dict)
    unasked: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.title or self.path.name

    @property
    def subject(self) -> str:
        """The name of the model's subject: its title, or the user's module."""
        return self.title or self.module

    @property
    def heading(self) -> str:
        """The heading of its results: its name, and its configuration."""
        return f"{self.name} under {self.config.where}" if self.config.where else self.name

    @property
    def module(self) -> str:
        """The name of the user's module."""
        return self.path.stem

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that the module declares or sees, sorted."""
        return tuple(sorted(self.library.variables(self.module)))

    @property
    def checked(self) -> tuple[str, ...]:
        """The names of the properties that are checked: invariants, then the others."""
        return (*self.config.invariants, *self.config.properties)

    def home(self, name: str) -> str:
        """Return the module that defines a property, or else the model's own."""
        library, module = self.library, self.module
        return library.definition(module, name).module if library.defines(module, name) else module

    def text_of(self, name: str) -> str:
        """Return the text of a definition of the module, on one line; "" for a name that it does not define."""
        if not self.library.defines(self.module, name):
            return ""
        return clean(clip(on_one_line(self.library.definition(self.module, name).body), _LONGEST))

    def place_of(self, name: str) -> str:
        """Return the place of a property's definition, ``Mutex.tla:12``; "" for one that has no definition."""
        try:
            found = self.library.definition(self.module, name.partition("!")[0])
            return f"{self.library.path(found.module.partition('!')[0]).name}:{found.line}"
        except SpecError:
            return ""

    def root(self, *further: str) -> str:
        """Return the text of the root, with ``further`` lines."""
        return self._extended(ROOT, f"{self.module}, {TOOLS}", further)

    def shown(self) -> tuple[str, str]:
        """Return the name and the text of a module that TLC can run without this tool, with the text of ``config``."""
        taken = {each.name for each in self.library.closure(self.module, instances=True)}
        name = f"ModelOf{self.module}" if "Model" in taken else "Model"
        return name, self._extended(name, self.module)

    def _extended(self, name: str, extended: str, further: Iterable[str] = ()) -> str:
        lines = [f"---- MODULE {name} ----", f"EXTENDS {extended}", *self.definitions, *further, "=" * 30]
        return "\n".join(lines) + "\n"

    def only(self, names: Sequence[str]) -> PlainModel:
        """Return the model that checks some of its properties. Raises SpecError for others, with the nearest."""
        for name in names:
            if name not in self.checked:
                raise SpecError.unknown(
                    "property", name, self.checked, where=self.config.where or self.module
                )
        invariants = tuple(name for name in self.config.invariants if name in names)
        properties = tuple(name for name in self.config.properties if name in names)
        return replace(self, config=replace(self.config, invariants=invariants, properties=properties))


def read_model(
    path: Path, config: Path | None = None, *, constants: Iterable[str] = (), libraries: Iterable[Path] = ()
) -> PlainModel:
    """Read the module in a file, and its configuration: ``config``, or the file of the same name beside it.

    Without either, the properties of the theorems are checked. ``constants`` are ``NAME=VALUE`` or ``NAME<-DEFINITION``, a value
    of a configuration or any expression; ``libraries`` are directories of further modules.

    Raises SpecError for a file that is missing or cannot be read, or a form that is not supported, and ToolError where SANY fails.
    """
    if not is_file(path):
        there = sorted(each.name for each in path.parent.glob("*.tla") if each.is_file())
        near = (
            nearest(path.name, there) if there else f"there is no module, *.tla, in {path.parent.absolute()}"
        )
        raise SpecError("there is no such module", where=str(path), hint=near)
    for place in libraries:
        if not place.is_dir():
            raise SpecError("not a directory", where=str(place), hint="a library is a directory of modules")
    library = Library(path.parent, *libraries, STAND_INS, ahead=False)
    _read(library, path.stem)
    beside = path.with_suffix(".cfg")
    file = config or (beside if beside.is_file() else None)
    constants = list(constants)
    given = [re.split("=|<-", text)[0].strip() for text in constants]
    model = PlainModel(path, read_config(file, given) if file else ConfigFile(), library)
    if file is None:
        model = _stated(model)
    model = _with_constants(model, constants)
    _require_names(model)
    _require_constants(model, file)
    return model


def _read(library: Library, name: str) -> None:
    try:
        library.module(name)
        library.closure(name, instances=True)
    except SpecError as error:
        if not error.message.startswith(_MISSING):
            raise
        missing = spec_problems(error.message)[0].unknown or error.message.split()[6]
        hint = f"name the directory that has {missing}.tla by --library, or as one of a plan's libraries"
        if missing in _OF_OTHERS:
            hint = f"{missing} is one of the modules of {_OF_OTHERS[missing]}: {hint}"
        if below := re.search(
            rf"^-{{4,}} *MODULE +{missing}\b", text := read_text(library.path(name)), re.MULTILINE
        ):
            line = text.count("\n", 0, below.start()) + 1
            hint = (
                f"{missing} begins on line {line} of this file: TLC reads each module from a file of its name"
            )
        raise SpecError(error.message, where=error.where, hint=hint) from None


# -- theorems ----------------------------------------------------------------------------------------------------------


def _stated(model: PlainModel) -> PlainModel:
    r"""Return the model with the properties of the theorems ``Spec => P``, for the ``Spec`` of the first of them.

    A formula about states is an invariant after ``[]``; one without a name gets one. Deadlock is not checked, since only
    a configuration can ask for that.
    """
    library, module = model.library, model.module
    theorems = [
        (f"{own.name}.tla:{each.line}", each, _implied(library, module, each))
        for own in library.closure(module)
        for each in own.statements
        if each.kind == "theorem"
    ]
    found = [(each, implied) for _, each, implied in theorems if implied is not None]
    if not found:
        configs = sorted(each.name for each in model.path.parent.glob("*.cfg"))
        others = (
            f"; there are {', '.join(configs[:6])}: name one by --config, or as config in a plan"
            if configs
            else ""
        )
        raise SpecError(
            f"there is neither {model.path.stem}.cfg nor a theorem Spec => P, so there is nothing to check",
            where=str(model.path),
            hint=clip(f"write one of the two{others}", 400)
            if library.visible(module)
            else _untranslated(library, module),
        )
    spec = found[0][1][0]
    invariants: list[str] = []
    properties: list[str] = []
    lines: list[str] = []
    for statement, (_, formula) in (each for each in found if each[1][0] == spec):
        for part, always in _parts(library, module, formula):
            name = part.name if isinstance(part, Name) else ""
            if not name or not (library.defines(module, name) or "!" in name):
                name = f"Theorem{statement.line}" + ("" if not lines else f"_{len(lines)}")
                lines.append(f"{name} == {on_one_line(part)}")
            if "!" in name:
                lines.append(f"{name.replace('!', '_')} == {name}")
                name = name.replace("!", "_")
            (invariants if always else properties).append(name)
    config = ConfigFile(
        where=f"the theorems of {module}",
        specification=spec,
        invariants=tuple(dict.fromkeys(invariants)),
        properties=tuple(dict.fromkeys(properties)),
        check_deadlock=False,
    )
    unasked = [
        place
        for place, each, implied in theorems
        if (implied is None or implied[0] != spec) and not about_states_only(library, module, each.formula)
    ]
    return replace(
        model, config=config, definitions=tuple(dict.fromkeys(lines)), stated=True, unasked=tuple(unasked)
    )


def _implied(library: Library, module: str, statement: Statement) -> tuple[str, Expression] | None:
    """Return the parts of a theorem ``Spec => P``, the name and the property; ``None`` for any other theorem."""
    formula = statement.formula
    if statement.assumed or statement.new or not isinstance(formula, Infix) or formula.operator != "=>":
        return None
    spec = formula.left
    if not isinstance(spec, Name) or not library.defines(module, spec.name):
        return None
    return (spec.name, formula.right) if library.definition(module, spec.name).level == TEMPORAL else None


def _parts(library: Library, module: str, formula: Expression) -> Iterator[tuple[Expression, bool]]:
    """Yield the conjuncts of a formula, and whether each is about states, after ``[]``."""
    for part in row("/\\", formula):
        match part:
            case Prefix("[]", body) if not isinstance(body, Boxed) and about_states_only(
                library, module, body
            ):
                yield from ((each, True) for each in row("/\\", body))
            case _ if len(row("/\\", part)) > 1:
                yield from _parts(library, module, part)
            case _:
                yield part, False


# -- constants and names -----------------------------------------------------------------------------------------------


def _with_constants(model: PlainModel, constants: Iterable[str]) -> PlainModel:
    known = model.library.constants(model.module)
    for text in constants:
        given, line = _given(text)
        if given.name not in known and not model.library.defines(model.module, given.name):
            raise SpecError.unknown("constant", given.name, known, where=f"constant {text[:80]}")
        lines = (*model.definitions, line) if line else model.definitions
        if not line and not given.stands_in and model.library.defines(model.module, given.value):
            given = replace(
                given, stands_in=True
            )  # the name of a definition is more than a model value of that name
        model = replace(model, config=model.config.with_constant(given), definitions=lines)
    return model


def _given(text: str) -> tuple[Constant, str]:
    """Read a value from a command or a plan; one that no configuration can have is an expression, with a definition."""
    try:
        return parse_constant(text), ""
    except SpecError:
        name, sign, value = text.partition("=")
        if not sign or not name.strip().isidentifier() or not value.strip() or "\n" in text:
            raise
        own = f"{GIVEN}{name.strip()}"
        return Constant(name.strip(), own, stands_in=True), f"{own} == {value.strip()}"


def _require_names(model: PlainModel) -> None:
    """Require that the names in the configuration are defined, or declared where that suffices. Raises SpecError."""
    library, module, config = model.library, model.module, model.config
    own = {line.partition(" ==")[0] for line in model.definitions}
    lines = {each.value: each.line for each in config.constants if each.stands_in} | config.lines
    visible = [*library.visible(module), *library.constants(module), *own]
    for name, word in config.names.items():
        if name in visible or "!" in name:
            _require_no_local(library, module, word, name)
            continue
        line = lines.get(name)
        raise SpecError(
            f"{word} {name}: {module} has no such definition",
            where=f"{config.where}:{line}" if line else config.where,
            hint=_untranslated(library, module)
            or nearest(name, [*visible, *(WORDS if name.isupper() else ())]),
        )


def _require_no_local(library: Library, module: str, word: str, name: str) -> None:
    """Require that a module's own definition is not LOCAL, since the root module extends it. Raises SpecError."""
    found = library.module(module).definitions.get(name)
    if found is None:
        return
    head = "\n".join(library.module(module).text.split("\n")[max(found.line - 2, 0) : found.line])
    if re.search(rf"\bLOCAL\s+{re.escape(name)}\b", head):
        raise SpecError(
            f"{word} {name}: it is LOCAL in {module}, and so not seen where that is extended, as it is here",
            where=f"{library.path(module).name}:{found.line}",
            hint="leave LOCAL out",
        )


def _untranslated(library: Library, module: str) -> str | None:
    """Return a hint if a module's PlusCal has no translation, or if the module defines nothing; else ``None``."""
    text = library.module(module).text
    if _ALGORITHM.search(text) and "BEGIN TRANSLATION" not in text:
        how = f"translate it in your editor, or by `java -cp tla2tools.jar pcal.trans {module}.tla`"
        return f"its PlusCal is not translated; {how}"
    return None if library.visible(module) else f"{module} defines nothing"


def _require_constants(model: PlainModel, file: Path | None) -> None:
    given = {each.name for each in model.config.constants}
    declared = model.library.constants(model.module)
    lacking = sorted(declared - {name.partition("(")[0] for name in given})
    if lacking:
        known = {*model.library.visible(model.module), *(name.partition("(")[0] for name in declared)}
        strange = [each.name for each in model.config.constants if not each.of and each.name not in known]
        raise SpecError(
            f"{', '.join(lacking)} {'has' if len(lacking) == 1 else 'have'} no value",
            where=file.name if file else str(model.path),
            hint=f"{strange[0]} is not a constant of {model.module}: is {lacking[0]} meant?"
            if strange
            else f"--constant {lacking[0]}=VALUE, in a plan constants = {{ {lacking[0]} = VALUE }}"
            + ("" if file else ", or a configuration beside the module"),
        )
