"""Mutants of Python functions: each has one place of its syntax tree changed, and takes the place of one that runs.

Decisions and updates are changed: comparisons and their boundaries, conditions and their parts, branches,
numbers and indices, slices, fields that an update sets, statements, ``yield``, and the order in which a tuple is put
together. The rest has no meaning for the protocol, and stays: docstrings, annotations, texts, the arguments of
``raise``, and conditions that only guard one, which are there against misuse.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from inspect import unwrap
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import CodeType, FunctionType


_COMPARISONS: Final[dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: Final[dict[type[ast.operator], tuple[type[ast.operator], ...]]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitAnd: (ast.BitOr,),
}
_NAMES: Final = {"any": "all", "all": "any", "min": "max", "max": "min", "sorted": "list"}

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class CodeMutant:
    """A change of one place in a function.

    ``file`` is relative to the root that was given, ``function`` the qualified name, ``line`` that of the place;
    ``before`` and ``after`` are the place's text. Several places of a function with the same texts are distinguished by
    ``number``, from 1. ``place`` is the index of the change among all of the file.
    """

    file: str
    function: str
    line: int
    before: str
    after: str
    number: int
    place: int

    @property
    def subject(self) -> str:
        """The file and the function."""
        return f"{self.file} {self.function}"

    @property
    def change(self) -> str:
        """The change, which stays the same while the function does, wherever it is in its file."""
        return f"{self.before} -> {self.after}" + (f" #{self.number}" if self.number > 1 else "")

    @property
    def key(self) -> tuple[str, str]:
        """The subject and the change."""
        return self.subject, self.change

    @property
    def id(self) -> str:
        """The subject and the change, in one text."""
        return f"{self.subject}: {self.change}"


@dataclass
class _Change:
    """One change of a tree that can be made and undone: ``holder[key]`` or the attribute of that name."""

    function: str
    holder: Any
    key: int | str
    old: Any
    new: Any
    line: int
    before: str
    after: str

    def make(self, node: Any) -> None:
        if isinstance(self.key, int):
            self.holder[self.key] = node
        else:
            setattr(self.holder, self.key, node)


def code_mutants(path: Path, root: Path) -> list[CodeMutant]:
    """Return the mutants of all functions of a file below ``root``, in the order of their places.

    Changes that leave a function's tree as another one does are one mutant.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    seen: Counter[tuple[str, str, str]] = Counter()
    trees = {(name, ast.dump(function)) for name, function in _functions(tree, "")}
    found = []
    for place, (function, change) in enumerate(_changes(tree)):
        change.make(change.new)
        text = ast.dump(function)
        change.make(change.old)
        if (change.function, text) in trees:
            continue
        trees.add((change.function, text))
        name = (change.function, change.before, change.after)
        seen[name] += 1
        file = path.relative_to(root).as_posix()
        found.append(CodeMutant(file, change.function, change.line, *name[1:], seen[name], place))
    return found


def mutated_code(mutant: CodeMutant, root: Path) -> CodeType:
    """Compile the function of a mutant with its change, and return its code."""
    path = root / mutant.file
    tree = ast.parse(path.read_text(encoding="utf-8"))
    change = next(each for number, (_, each) in enumerate(_changes(tree)) if number == mutant.place)
    change.make(change.new)
    module = compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True)
    return next(code for code in _codes(module) if code.co_qualname == mutant.function)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            yield constant
            yield from _codes(constant)


def _changes(tree: ast.Module) -> Iterator[tuple[_Function, _Change]]:
    for name, function in _functions(tree, ""):
        yield from ((function, change) for change in _of_function(name, function))


def _functions(node: ast.Module | ast.ClassDef, prefix: str) -> Iterator[tuple[str, _Function]]:
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}{child.name}", child


def _of_function(name: str, function: _Function) -> Iterator[_Change]:
    body = function.body
    begins = 1 if ast.get_docstring(function, clean=False) is not None else 0
    for holder, key, node in _places(body[begins:], body, begins):
        for new, after in _instead(node, holder):
            before = _short(node)
            line = getattr(node, "lineno", function.lineno)
            yield _Change(name, holder, key, node, new, line, before, after or _short(new))


def _places(statements: list[ast.stmt], body: list[ast.stmt], begins: int) -> Iterator[tuple[Any, Any, Any]]:
    for offset, statement in enumerate(statements):
        yield from _within(body, begins + offset, statement)


def _within(holder: Any, key: int | str, node: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield a node and all below it that may be changed, each with where it hangs."""
    if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr) or _is_guard(node):
        return
    yield holder, key, node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "args"} and not isinstance(node, ast.Call):
            continue
        if isinstance(value, list):
            for index, child in enumerate(value):
                if isinstance(child, ast.AST) and not _is_trivial(node, child):
                    yield from _within(value, index, child)
        elif isinstance(value, ast.AST):
            yield from _within(node, name, value)


def _is_guard(node: Any) -> bool:
    return isinstance(node, ast.If) and not node.orelse and all(isinstance(s, ast.Raise) for s in node.body)


def _is_trivial(parent: ast.AST, child: ast.AST) -> bool:
    return isinstance(parent, ast.Call) and isinstance(child, ast.keyword) and child.arg == "strict"


def _instead(node: Any, holder: Any) -> Iterator[tuple[Any, str]]:
    """Yield the replacements of a node, each with its text where that shows more than the node's own."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            for other in _COMPARISONS.get(type(op), ()):
                yield ast.Compare(left, [other()], [right]), ""
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values), ""
            for index in range(len(values)):
                rest = [*values[:index], *values[index + 1 :]]
                yield (rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)), ""
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand, ""
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value), ""
        case ast.Constant(value=int() as value):
            yield ast.Constant(value + 1), ""
            if value > 0:
                yield ast.Constant(value - 1), ""
        case ast.BinOp(left=left, op=op, right=right):
            for operator in _OPERATORS.get(type(op), ()):
                yield ast.BinOp(left, operator(), right), ""
            yield left, ""
        case ast.Name(id=name) if name in _NAMES and isinstance(node.ctx, ast.Load):
            yield ast.Name(_NAMES[name], ast.Load()), ""
        case ast.Slice(lower=lower, upper=upper, step=step):
            if lower is not None:
                yield ast.Slice(None, upper, step), ""
            if upper is not None:
                yield ast.Slice(lower, None, step), ""
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(test, orelse, body), ""
        case ast.comprehension(ifs=ifs) if ifs:
            for index in range(len(ifs)):
                rest = [*ifs[:index], *ifs[index + 1 :]]
                yield ast.comprehension(node.target, node.iter, rest, node.is_async), ""
        case ast.Tuple(elts=elements) if any(isinstance(e, ast.Starred) for e in elements):
            yield from _tuples(node, elements)
        case ast.Call(keywords=keywords) if _is_update(node):
            for index in range(len(keywords)):
                kept = [*keywords[:index], *keywords[index + 1 :]]
                yield ast.Call(node.func, node.args, kept), ""
        case ast.Lambda() | ast.FunctionDef():
            return
        case ast.stmt():
            yield from _statements(node)


def _tuples(node: ast.Tuple, elements: list[ast.expr]) -> Iterator[tuple[Any, str]]:
    for index in range(len(elements)):
        yield ast.Tuple([*elements[:index], *elements[index + 1 :]], node.ctx), ""
    if len(elements) == 2:
        yield ast.Tuple(elements[::-1], node.ctx), ""


def _is_update(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == "_replace"


def _statements(node: ast.stmt) -> Iterator[tuple[Any, str]]:
    gone = ast.Pass()
    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            if orelse:
                yield ast.If(test, orelse, body), f"if {_short(test)}: (branches swapped)"
            elif not isinstance(test, ast.Compare | ast.UnaryOp):
                yield ast.If(ast.UnaryOp(ast.Not(), test), body, []), ""
        case ast.AugAssign() | ast.Continue() | ast.Break():
            yield gone, ""
        case ast.Expr(value=ast.Yield() | ast.YieldFrom() | ast.Call()):
            # a generator that yields nothing is one still, and a function keeps the names that it closes over
            yield ast.If(ast.Constant(False), [node], []), "pass"
        case ast.Assign(targets=[ast.Subscript()] | [ast.Attribute()]):
            yield gone, ""
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _mentions(value, name):
            yield gone, ""


def _mentions(value: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(value))


def _short(node: Any) -> str:
    if isinstance(node, ast.comprehension):
        ifs = "".join(f" if {ast.unparse(test)}" for test in node.ifs)
        return f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}{ifs}"
    if isinstance(node, ast.If):
        return f"if {ast.unparse(node.test)}:"
    text = " ".join(ast.unparse(ast.fix_missing_locations(node)).split())
    return text if len(text) <= 100 else f"{text[:97]}..."


PROTOCOLS: Final = "pyharness.machines.protocols"
"""The package whose files are mutated, unless another one is given."""


def swap(mutant: CodeMutant, root: Path, package: str = PROTOCOLS) -> None:
    """Put the mutant's function in place of the original, for every caller in this process."""
    function_of(mutant.file, mutant.function, package).__code__ = mutated_code(mutant, root)


def function_of(file: str, name: str, package: str = PROTOCOLS) -> FunctionType:
    """Return the function of this qualified name in a file of a package; "" if the file's place has the package's name.

    Of a property, a method of a class, or a function whose results are kept, it is the one that was decorated.
    """
    module = f"{package}.{file.removesuffix('.py').replace('/', '.')}".strip(".").removesuffix(".__init__")
    found: Any = import_module(module)
    for part in name.split("."):
        found = found.__dict__[part]
    for inner in ("fget", "func"):
        found = getattr(found, inner, found)
    function: FunctionType = unwrap(found)
    return function


class Reached:
    """Notes which functions below ``root`` run while it is entered, each as its file and qualified name.

    A comprehension or a function within a function counts as that.
    """

    def __init__(self, root: Path) -> None:
        self._root = f"{root}/"
        self._codes: set[CodeType] = set()

    def __enter__(self) -> Self:
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _note(self, frame: Any, event: str, _: object) -> None:
        if event == "call":
            self._codes.add(frame.f_code)

    @property
    def functions(self) -> frozenset[tuple[str, str]]:
        """The functions that ran."""
        return frozenset(
            (code.co_filename.removeprefix(self._root), code.co_qualname.split(".<", 1)[0])
            for code in self._codes
            if code.co_filename.startswith(self._root)
        )
