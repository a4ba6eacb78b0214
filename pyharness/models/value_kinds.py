"""The kinds of the values of expressions, as far as their text shows: how an equality can be weakened depends on them.

A kind is ``boolean``, ``number``, ``string``, ``set`` or ``sequence``; or a pair of ``function`` and the kind of its
values; or ``record`` and pairs of a field and its kind; or ``tuple`` and the kinds of its items; or ``None`` if it is
not known. ``empty`` is ``<< >>``, which is a sequence or a function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyharness.tla.modules import expressions as ast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyharness.tla.modules.module import Definition

Kind = Any

_GRAPH: Final = ("record", (("processes", "number"), ("channels", "set"), ("initiators", "set")))
_KNOWN: Final[dict[str, Kind]] = {"Graphs": ("function", _GRAPH), "TRUE": "boolean", "FALSE": "boolean"}
_CALLS: Final[dict[str, Kind]] = {
    "Len": "number",
    "Cardinality": "number",
    "Append": "sequence",
    "Tail": "sequence",
    "SubSeq": "sequence",
    "SelectSeq": "sequence",
}
_OPERATORS: Final[dict[str, Kind]] = {
    **dict.fromkeys(("\\cup", "\\cap", "\\", "..", "\\X"), "set"),
    **dict.fromkeys(("+", "-", "*", "%", "^"), "number"),
    **dict.fromkeys(("=>", "<=>", "/\\", "\\/", "=", "#", "<", ">", "<=", ">="), "boolean"),
    **dict.fromkeys(("\\in", "\\notin", "\\subseteq"), "boolean"),
    "\\o": "sequence",
}  # fmt: skip
_PREFIXES: Final[dict[str, Kind]] = {
    "~": "boolean",
    "DOMAIN": "set",
    "SUBSET": "set",
    "UNION": "set",
    "-": "number",
}
_DEEPEST: Final = 12


class Kinds:
    """The kinds of the expressions of a module, by the definitions visible in it; variables as ``Init`` sets them."""

    def __init__(self, definitions: Mapping[str, Definition]) -> None:
        self._definitions = definitions
        self._variables = self._initial()

    def of(self, expression: ast.Expression, local: Mapping[str, Kind] | None = None, depth: int = 0) -> Kind:
        """Return the kind of an expression; ``local`` has the kinds of the names bound around it."""
        known = dict(local or {})
        if depth > _DEEPEST:
            return None
        match expression:
            case ast.Literal(text):
                return "string" if text.startswith('"') else "number"
            case ast.Infix(operator, left, right) if operator in self._definitions:
                return self._named(operator, (left, right), known, depth)
            case ast.Infix(operator, left, _):
                return self.of(left, known, depth) if operator == "@@" else _OPERATORS.get(operator)
            case ast.Prefix(operator, _):
                return _PREFIXES.get(operator, "boolean")
            case ast.Quantification(kind, _, _):
                return None if kind == "CHOOSE" else "boolean"
            case ast.Junction():
                return "boolean"
            case ast.Filtered() | ast.Collected() | ast.FunctionSpace():
                return "set"
            case ast.Prime(body) | ast.Except(body, _):
                return self.of(body, known, depth)
            case ast.If(_, then, otherwise):
                found = self.of(then, known, depth)
                return self.of(otherwise, known, depth) if found in {None, "empty"} else found
            case ast.Let(definitions, body):
                for definition in definitions:
                    known[definition.name] = self.of(definition.body, known, depth + 1)
                return self.of(body, known, depth)
            case _:
                return self._composed(expression, known, depth)

    def _composed(self, expression: ast.Expression, known: dict[str, Kind], depth: int) -> Kind:
        match expression:
            case ast.Listed(opening, items):
                if opening == "{":
                    return "set"
                return ("tuple", tuple(self.of(item, known, depth) for item in items)) if items else "empty"
            case ast.Record(separator, entries):
                if separator == ":":
                    return "set"
                return ("record", tuple((name, self.of(value, known, depth)) for name, value in entries))
            case ast.FunctionOf(bounds, value):
                domain = bounds[0].domain
                if isinstance(domain, ast.Prefix) and self.of(domain.body, known, depth) == "sequence":
                    return "sequence"
                for bound in bounds:
                    known.update(dict.fromkeys(bound.names))
                return ("function", self.of(value, known, depth))
            case ast.Index(base, _):
                found = self.of(base, known, depth)
                return found[1] if isinstance(found, tuple) and found[0] == "function" else None
            case ast.Field(base, name):
                found = self.of(base, known, depth)
                return dict(found[1]).get(name) if isinstance(found, tuple) and found[0] == "record" else None
            case ast.Name(name):
                return known[name] if name in known else self._named(name, (), known, depth)
            case ast.Call(name, arguments):
                return self._named(name, arguments, known, depth)
        return None

    def _named(
        self, name: str, arguments: tuple[ast.Expression, ...], known: dict[str, Kind], depth: int
    ) -> Kind:
        for table in (_KNOWN, self._variables):
            if name in table:
                return table[name]
        definition = self._definitions.get(name)
        if definition is None:
            return _CALLS.get(name)
        parameters = dict(
            zip(definition.parameters, (self.of(a, known, depth) for a in arguments), strict=False)
        )
        return self.of(definition.body, parameters, depth + 1)

    def _initial(self) -> dict[str, Kind]:
        """Return the kinds of the variables as the conjuncts of ``Init``, ``HInit`` and the like set them."""
        self._variables = {}
        found: dict[str, Kind] = {}
        for name, definition in self._definitions.items():
            if not name.endswith("Init"):
                continue
            body = definition.body
            for item in body.items if isinstance(body, ast.Junction) else ():
                match item:
                    case ast.Infix("=", ast.Name(variable), value):
                        found[variable] = _at_first(self.of(value))
        return found


def _at_first(kind: Kind) -> Kind:
    """Return the kind of a variable by that of its initial value: a function to ``<< >>`` is one to sequences."""
    if kind == ("function", "empty"):
        return ("function", "sequence")
    return None if kind == "empty" else kind
