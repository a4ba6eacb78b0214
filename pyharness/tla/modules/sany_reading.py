"""Read modules from the XML that SANY writes (``tla2sany.xml.XMLExporter``), in which every name is resolved."""

from __future__ import annotations

import gc
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from pyharness.base.errors import SpecError
from pyharness.tla.modules import expressions as ast
from pyharness.tla.modules.module import Definition, Instance, Module, Statement

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence
    from pathlib import Path

_SPELT: Final = {
    "\\land": "/\\",
    "\\lor": "\\/",
    "\\lnot": "~",
    "\\equiv": "<=>",
    "/=": "#",
    "\\leq": "<=",
    "\\geq": ">=",
    "\\union": "\\cup",
    "\\intersect": "\\cap",
    "\\circ": "\\o",
    "-.": "-",
}
"""This project's spelling of operators, by SANY's, where they differ."""

_WORDS: Final = ("~", "-", "[]", "<>", "DOMAIN", "SUBSET", "UNION", "ENABLED", "UNCHANGED")
_QUANTIFIERS: Final = {
    "$BoundedForall": "\\A",
    "$UnboundedForall": "\\A",
    "$BoundedExists": "\\E",
    "$UnboundedExists": "\\E",
    "$TemporalForall": "\\AA",
    "$TemporalExists": "\\EE",
    "$BoundedChoose": "CHOOSE",
    "$UnboundedChoose": "CHOOSE",
}


_PART: Final = 4_000_000
"""The number of bytes of SANY's output that are read at once."""


class _Place(NamedTuple):
    """The place of a node: its file's module, and lines and columns from 1, ends included."""

    module: str
    begin: tuple[int, int]
    end: tuple[int, int]

    def holds(self, other: _Place) -> bool:
        return self.module == other.module and self.begin <= other.begin and other.end <= self.end


def read_xml(
    file: Path, sources: Mapping[str, tuple[Path, str]], but: Container[str] = ()
) -> dict[str, Module]:
    """Return the modules of a document that have ``sources``, a path and a text each, by name, except those in ``but``."""
    gc_was = gc.isenabled()
    gc.disable()  # there are some hundred thousand elements, and none is garbage yet
    try:
        return _Document(file, sources).modules(but)
    finally:
        if gc_was:
            gc.enable()


class _Document:
    def __init__(self, file: Path, sources: Mapping[str, tuple[Path, str]]) -> None:
        self._sources = sources
        self._nodes: dict[str, ET.Element] = {}
        for entry in _entries(file):
            node = entry[1]
            if node.tag == "UserDefinedOpKind" and "!" in _name(node):
                _shorten(node)
            self._nodes[entry[0].text or ""] = node
        self._files: dict[str, list[tuple[_Place, ET.Element]]] = {}
        self._homes: dict[_Place, str] = {}
        self._home_by_uid: dict[str, str] = {}
        for node in self._nodes.values():
            if node.tag == "ModuleNode":
                self._files.setdefault(_place(node).module, []).append((_place(node), node))
        self._modules = {self._home(place): node for file in self._files.values() for place, node in file}
        instances = (each for node in self._modules.values() for each in node.iterfind("InstanceNode"))
        parameters = {_place(each): len(each.findall("params//FormalParamNodeRef")) for each in instances}
        self._bodies = _Bodies(self._nodes, parameters, {name: text for name, (_, text) in sources.items()})

    def modules(self, but: Container[str]) -> dict[str, Module]:
        """Return the modules that have sources, by name, each with its inner ones, except the names in ``but``."""
        return {
            name: self._module(name) for name in self._modules if name in self._sources and name not in but
        }

    def _home(self, place: _Place) -> str:
        """Return the name of the innermost module that contains a place, after those around it: ``Outer!Inner``."""
        if place not in self._homes:
            around = sorted(
                (own.begin, _name(node))
                for own, node in self._files.get(place.module, ())
                if own.holds(place)
            )
            self._homes[place] = "!".join(name for _, name in around) or place.module
        return self._homes[place]

    def _home_of(self, uid: str) -> str:
        """Return the home of a node, which many modules see."""
        if uid not in self._home_by_uid:
            self._home_by_uid[uid] = self._home(_place(self._nodes[uid]))
        return self._home_by_uid[uid]

    def _meant(self, name: str, here: str) -> str:
        """Return the full name of the module that an INSTANCE in the module ``here`` names by ``name``."""
        while here:
            if f"{here}!{name}" in self._modules:
                return f"{here}!{name}"
            here = here.rpartition("!")[0]
        return name

    def _own(self, module: str) -> bool:
        return module.partition("!")[0] in self._sources

    def _module(self, full: str) -> Module:
        node = self._modules[full]
        seen = [ref.findtext("UID") or "" for ref in node if ref.tag.endswith("Ref")]
        homes = [(self._nodes[uid], self._home_of(uid)) for uid in seen]
        own = sorted((each for each, home in homes if home == full), key=_place)
        instances = [
            self._instance(each, full)
            for each in sorted(node.iterfind("InstanceNode"), key=_place)
            if self._home(_place(each)) == full
        ]
        standard_here = {i.line for i in instances if not i.name and not self._own(i.module)}
        self._bodies.instanced = {}
        self._bodies.known = frozenset(
            _name(each) for each, _ in homes if each.find("uniquename") is not None
        )
        definitions = [
            self._bodies.definition(each, full)
            for each in own
            if each.tag == "UserDefinedOpKind" and "!" not in _name(each)[:-1]
            if _place(each).begin[0] not in standard_here
        ]
        statements = [
            self._bodies.statement(each) for each in own if each.tag in ("AssumeNode", "TheoremNode")
        ]
        used = [*(each.module for each in instances), *(self._meant(m, full) for m in self._bodies.instanced)]
        path, text = self._sources[full.partition("!")[0]]
        return Module(
            full,
            path,
            text,
            {each.name: each for each in definitions},
            {each.name: each for each in instances if each.name},
            tuple(_name(each) for each in own if each.tag == "OpDeclNode" and each.findtext("kind") == "2"),
            tuple(_name(each) for each in own if each.tag == "OpDeclNode" and each.findtext("kind") == "3"),
            tuple(statements),
            {
                _defined(_name(each)): home
                for each, home in homes
                if each.tag == "UserDefinedOpKind" and home != full
                if "!" not in _name(each)[:-1]
            },
            tuple(dict.fromkeys(home for _, home in homes if home != full and self._own(home))),
            tuple(sorted({home for _, home in homes if not self._own(home)})),
            tuple(dict.fromkeys(module for module in used if self._own(module))),
            tuple(each.module for each in instances if not each.name and self._own(each.module)),
            {
                other.rpartition("!")[2]: self._module(other)
                for other in self._modules
                if other.rpartition("!")[0] == full
            },
        )

    def _instance(self, node: ET.Element, here: str) -> Instance:
        return Instance(
            node.findtext("uniquename") or "",
            self._bodies.parameters(node),
            self._meant(node.findtext("module") or "", here),
            _place(node).begin[0],
            ast.as_written(self._bodies.substitutions(node)),
        )


class _Bodies:
    """Reads definitions and expressions; ``instanced`` collects the modules of instances within them.

    ``known`` are the names that the module being read knows. ``parameters`` has the number of each named instance's
    parameters by its place, ``texts`` the texts of files by module.
    """

    def __init__(
        self, nodes: Mapping[str, ET.Element], parameters: Mapping[_Place, int], texts: Mapping[str, str]
    ) -> None:
        self._nodes = nodes
        self._parameters = parameters
        self._lines = {name: text.expandtabs(8).split("\n") for name, text in texts.items()}
        self.instanced: dict[str, None] = {}
        self.known: frozenset[str] = frozenset()
        self._begins: dict[int, tuple[ast.Expression, int]] = {}

    def definition(self, node: ET.Element, module: str) -> Definition:
        place = _place(node)
        self._begins = {}
        parameters, body = self._instanced_body(_only(node, "body"), self.parameters(node))
        return Definition(
            module,
            _defined(_name(node)),
            parameters,
            place.begin[0],
            place.end[0],
            int(node.findtext("level") or 0),
            ast.as_written(body),
            list(self._lines_of(body, place.begin[0])),
        )

    def _lines_of(self, part: ast.Expression, around: int) -> Iterator[int]:
        """Yield the lines on which the parts of an expression begin, in the order of ``within``."""
        line = self._begins[id(part)][1] if id(part) in self._begins else around
        yield line
        for inner in ast.parts_of(part):
            yield from self._lines_of(inner, line)

    def statement(self, node: ET.Element) -> Statement:
        body = _only(node, "body")
        assumed: list[ast.Expression] = []
        new: list[str] = []
        if body.tag == "AssumeProveNode":
            for each in _all(body, "assumes"):
                if each.tag == "NewSymbNode":
                    new.append(_name(self._referred(each.find("OpDeclNodeRef"))))
                else:
                    assumed.append(self.expression(each))
            body = _only(body, "prove")
        defined = next((each for each in node.iterfind("definition/*")), None)
        return Statement(
            "theorem" if node.tag == "TheoremNode" else "assumption",
            "" if defined is None else _name(self._referred(defined)),
            _place(node).begin[0],
            tuple(new),
            [ast.as_written(tuple(assumed)), ast.as_written(self.expression(body))],
        )

    def parameters(self, node: ET.Element) -> tuple[str, ...]:
        """Return the parameters of a definition; an operator among them is written with its blanks, ``G(_)``."""
        return tuple(
            _with_blanks(self._referred(each)) for each in node.iterfind("params//FormalParamNodeRef")
        )

    def substitutions(self, node: ET.Element) -> tuple[tuple[str, ast.Expression], ...]:
        """Return the substitutions of an instance, in the order of the text; names without one stand for themselves."""
        given = sorted(node.iterfind("substs/Subst"), key=lambda each: _place(each[1]))
        return tuple((_name(self._referred(each[0])), self.expression(each[1])) for each in given)

    def expression(self, node: ET.Element) -> ast.Expression:
        """Read an expression. Raises SpecError for a form that is not known."""
        found = self._expression(node)
        self._begins[id(found)] = (found, _place(node).begin[0])
        return found

    def _expression(self, node: ET.Element) -> ast.Expression:
        match node.tag:
            case "OpApplNode":
                return self._applied(node)
            case "NumeralNode":
                return ast.Literal(node.findtext("IntValue") or node.findtext("BigValue") or "")
            case "DecimalNode":
                return ast.Literal(_decimal(node))
            case "StringNode":
                return ast.Literal(_quoted(node.findtext("StringValue") or ""))
            case "AtNode":
                return ast.Name("@")
            case "LabelNode":
                return self.expression(_only(node, "body"))
            case "OpArgNode":
                operator = self._referred(node.find("argument")[0])  # type: ignore[index]
                if _name(operator) == "LAMBDA":
                    return ast.Lambda(self.parameters(operator), self.expression(_only(operator, "body")))
                return ast.Name(_defined(_name(operator)))
            case "LetInNode":
                return self._let(node)
            case "SubstInNode":
                return self._instanced_body(node, ())[1]
        raise SpecError(f"SANY's {node.tag} is not read", where=_place_of(node))

    def _instanced_body(
        self, node: ET.Element, parameters: tuple[str, ...]
    ) -> tuple[tuple[str, ...], ast.Expression]:
        """Return the parameters and the body of a definition from an unnamed instance, with bound names not known here."""
        if node.tag != "SubstInNode":
            return parameters, self.expression(node)
        given = {n: e for n, e in self.substitutions(node) if e != ast.Name(n)}
        mark = f"_of_{_name(self._referred(node.find('instTo/ModuleNodeRef')))}"
        inner = ast.Lambda(*self._instanced_body(_only(node, "body"), parameters))
        brought = cast("ast.Lambda", ast.apart(inner, given, mark, self.known))
        return brought.parameters, brought.body

    def _referred(self, reference: ET.Element | None) -> ET.Element:
        if reference is None:
            raise SpecError("SANY's description ends before a node that it refers to")
        return self._nodes[reference.findtext("UID") or ""]

    def _let(self, node: ET.Element) -> ast.Expression:
        definitions: list[ast.Binding] = []
        recursive: list[str] = []
        known: set[str] = set()
        for reference in node.iterfind("opDefs/*"):
            operator = self._referred(reference)
            name = _name(operator)
            if "!" in name:
                instance = name.partition("!")[0]
                if instance not in known:
                    known.add(instance)
                    definitions.append(ast.Binding(instance, (), self._instanced(operator)))
                continue
            if operator.find("recursive") is not None:
                recursive.append(_with_blanks(operator))
            body = self.expression(_only(operator, "body"))
            definitions.append(ast.Binding(_defined(name), self.parameters(operator), body))
        return ast.Let(tuple(definitions), self.expression(_only(node, "body")), tuple(recursive))

    def _instanced(self, operator: ET.Element) -> ast.Expression:
        node = _only(operator, "body")
        into = node.find("instTo/ModuleNodeRef")
        module = _place(node).module if into is None else _name(self._referred(into))
        self.instanced[module] = None
        return ast.Instanced(module, self.substitutions(node))

    # -- operators ------------------------------------------------------------------------------------------------

    def _applied(self, node: ET.Element) -> ast.Expression:
        operator = self._referred(node.find("operator")[0])  # type: ignore[index]
        name = _spelt(_name(operator))
        operands = _all(node, "operands")
        if operator.tag != "BuiltInKind":
            return self._called(name, operator, [self.expression(each) for each in operands])
        if name in _QUANTIFIERS:
            return ast.Quantification(_QUANTIFIERS[name], self._bounds(node), self.expression(operands[0]))
        if name.startswith("$"):
            return self._special(name, node, operands)
        return self._called(name, operator, [self.expression(each) for each in operands])

    def _called(self, name: str, operator: ET.Element, given: list[ast.Expression]) -> ast.Expression:
        instance, inner, rest = name.rpartition("!")
        if name == "'":
            return ast.Prime(given[0])
        if name in _WORDS and len(given) == 1:
            return ast.Prefix(name, given[0])
        if rest.replace("_", "a").isalnum():
            count = self._parameters.get(_place(operator), 0) if inner else 0
            if count:
                return ast.Member(ast.Call(instance, tuple(given[:count])), rest, tuple(given[count:]))
            return ast.Call(name, tuple(given)) if given else ast.Name(name)
        if len(given) == 2:
            return ast.Infix(name, given[0], given[1])
        return ast.Postfix(name, given[0]) if given else ast.Name(name)

    def _bounds(self, node: ET.Element) -> tuple[ast.Bound, ...]:
        found = []
        for each in node.iterfind("boundSymbols/*"):
            names = tuple(_name(self._referred(ref)) for ref in each.iterfind("FormalParamNodeRef"))
            domain = self.expression(each[-1]) if each.tag == "bound" else None
            found.append(ast.Bound(names, domain, each.find("tuple") is not None))
        return tuple(found)

    def _pairs(self, operands: Sequence[ET.Element]) -> Iterator[tuple[ET.Element, ast.Expression]]:
        """Yield the halves of pairs, the first as it is."""
        for pair in operands:
            first, second = _all(pair, "operands")
            yield first, self.expression(second)

    def _indices(self, node: ET.Element) -> tuple[ast.Expression, ...]:
        """Return the expressions in the brackets of an index: ``a, b`` is a tuple without brackets of its own."""
        inner = _all(node, "operands") if node.tag == "OpApplNode" else []
        if inner and _name(self._referred(node.find("operator")[0])) == "$Tuple":  # type: ignore[index]
            place = _place(node)
            line = self._lines.get(place.module, [])[place.begin[0] - 1 :][:1]
            if not (line and line[0].startswith("<<", place.begin[1] - 1)):
                return tuple(map(self.expression, inner))
        return (self.expression(node),)

    def _except(self, operands: Sequence[ET.Element]) -> ast.Expression:
        base, *pairs = operands
        updates = tuple(
            (tuple(self._step(step) for step in _all(path, "operands")), value)
            for path, value in self._pairs(pairs)
        )
        return ast.Except(self.expression(base), updates)

    def _step(self, node: ET.Element) -> tuple[ast.Expression, ...] | str:
        field = node.findtext("StringValue") or ""
        if node.tag == "StringNode" and field.isidentifier() and field.isascii():
            return field
        return self._indices(node)

    def _special(self, name: str, node: ET.Element, operands: Sequence[ET.Element]) -> ast.Expression:
        """Read an application of an operator that SANY names with a ``$``. Raises SpecError for one that is not known."""
        match name:
            case "$FcnApply":
                return ast.Index(self.expression(operands[0]), self._indices(operands[1]))
            case "$Except":
                return self._except(operands)
            case "$RcdConstructor" | "$SetOfRcds":
                entries = tuple((f.findtext("StringValue") or "", e) for f, e in self._pairs(operands))
                return ast.Record("|->" if name == "$RcdConstructor" else ":", entries)
            case "$RcdSelect":
                return ast.Field(self.expression(operands[0]), operands[1].findtext("StringValue") or "")
            case "$Case":
                return ast.CaseOf(tuple((self._condition(c), e) for c, e in self._pairs(operands)))
        given = tuple(map(self.expression, operands))
        match name:
            case "$Nop":  # a part of a definition, by its number or label: Inv!2
                return given[0]
            case "$ConjList":
                return ast.Junction("/\\", given)
            case "$DisjList":
                return ast.Junction("\\/", given)
            case "$SetEnumerate":
                return ast.Listed("{", given)
            case "$Tuple":
                return ast.Listed("<<", given)
            case "$SubsetOf":
                return ast.Filtered(self._bounds(node)[0], given[0])
            case "$SetOfAll":
                return ast.Collected(given[0], self._bounds(node))
            case "$FcnConstructor" | "$NonRecursiveFcnSpec":
                return ast.FunctionOf(self._bounds(node), given[0])
            case "$RecursiveFcnSpec":
                return ast.FunctionOf(self._bounds(node)[1:], given[0])  # the first is the function itself
            case "$SetOfFcns":
                return ast.FunctionSpace(*given)
            case "$CartesianProd":
                return ast.Infix("\\X", *given) if len(given) == 2 else ast.Product(given)
            case "$IfThenElse":
                return ast.If(*given)
            case "$SquareAct" | "$AngleAct":
                return ast.Boxed("[" if name == "$SquareAct" else "<<", *given)
            case "$WF" | "$SF":
                return ast.Fair(name[1:], *given)
        raise SpecError(f"SANY's {name} is not read", where=_place_of(node))

    def _condition(self, node: ET.Element) -> ast.Expression:
        """Read the condition of a case; SANY writes ``OTHER`` as a text, or, in newer builds, as that of a string."""
        text = (node.findtext("StringValue") or node.text or "").strip()
        return ast.Name("OTHER") if text == "$Other" else self.expression(node)


def _entries(file: Path) -> Iterator[ET.Element]:
    """Yield SANY's entry for each symbol; the file is read in parts, for all at once takes many times its size."""
    begun, ended, rest = b"<entry>", b"</entry>", b""
    with file.open("rb") as document:
        while part := document.read(_PART):
            text = rest + part
            end = text.rfind(ended) + len(ended)
            rest = text[end:] if end >= len(ended) else text
            if end >= len(ended):
                inner = text[text.index(begun) : end]
                yield from ET.fromstring(b"<context>%s</context>" % inner)  # noqa: S314 - written by SANY


def _shorten(operator: ET.Element) -> None:
    """Remove the body of an operator from an instance, which SANY writes again for each, except what names the instance."""
    body = _only(operator, "body")
    if body.tag == "SubstInNode":
        body.find("body").clear()  # type: ignore[union-attr]
    else:
        for part in body.findall("*")[1:]:
            body.remove(part)


def _name(node: ET.Element) -> str:
    return node.findtext("uniquename") or ""


def _defined(name: str) -> str:
    """Return the name of a definition; that of the prefix minus, ``-.``, is kept, to differ from the infix one."""
    return name if name == "-." else _spelt(name)


def _spelt(name: str) -> str:
    instance, inner, rest = name.rpartition("!")
    return instance + inner + _SPELT.get(rest, rest)


def _with_blanks(operator: ET.Element) -> str:
    """Return the name of an operator, with a blank for each of its parameters."""
    arity = int(operator.findtext("arity") or 0)
    return _name(operator) + (f"({', '.join('_' * arity)})" if arity else "")


def _all(node: ET.Element, tag: str) -> list[ET.Element]:
    """Return the children of all child elements with this tag."""
    return node.findall(f"{tag}/*")


def _only(node: ET.Element, tag: str) -> ET.Element:
    """Return the first child of the child element with this tag. Raises SpecError if there is none."""
    found = node.find(f"{tag}/*")
    if found is None:
        raise SpecError(f"SANY gives no {tag} of {node.tag}", where=_place_of(node))
    return found


def _place(node: ET.Element) -> _Place:
    if (location := node.find("location")) is None:
        return _Place("", (0, 0), (0, 0))
    line, column = location.find("line"), location.find("column")

    def pair(which: str) -> tuple[int, int]:
        begin, end = (0 if of is None else int(of.findtext(which) or 0) for of in (line, column))
        return begin, end

    return _Place(location.findtext("filename") or "", pair("begin"), pair("end"))


def _place_of(node: ET.Element) -> str:
    place = _place(node)
    return f"{place.module}.tla:{place.begin[0]}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\n", "\\n")
    return f'"{escaped}"'


def _decimal(node: ET.Element) -> str:
    """Return a number with a point, which SANY writes as an integer and an exponent of ten."""
    digits, places = node.findtext("mantissa") or "0", -int(node.findtext("exponent") or 0)
    padded = digits.rjust(places + 1, "0")
    return f"{padded[:-places]}.{padded[-places:]}" if places > 0 else padded + "0" * -places
