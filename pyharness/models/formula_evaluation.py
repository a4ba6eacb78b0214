"""Evaluate formulas about states and steps without TLC: a second opinion on the formulas that TLC takes for true.

A formula is evaluated from SANY's tree, under the constants of a configuration, in states that TLC wrote. A formula that
is not covered raises NotCoveredError with the reason, and is never guessed: a ``CHOOSE`` with several answers, an infinite
set that is enumerated, an operator that is not built in here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations, product
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from pyharness.base.errors import SpecError
from pyharness.tla.modules import expressions as ast
from pyharness.tla.plain_models.plain_model import GIVEN
from pyharness.tla.values import Fn, function, parse_value, same, set_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyharness.tla.modules.module import Definition
    from pyharness.tla.plain_models.plain_model import PlainModel

Result: TypeAlias = Any
"""A value, a set that is not enumerated, or an operator."""

_MOST_ELEMENTS: Final = 100_000
"""The number of elements of a set that are enumerated, at most."""


_UNDEFINED: Final = (KeyError, IndexError, TypeError, ValueError, SpecError)
"""The errors of a function or an operator that is applied outside of its domain."""


class NotCoveredError(Exception):
    """A formula, or a part of it, is beyond this evaluation; the message is the reason."""


@dataclass(frozen=True)
class _Set:
    """A set by its rule: ``holds`` tests a value, and ``elements`` enumerates the set, if it is finite."""

    holds: Callable[[Result], bool]
    elements: Callable[[], Iterator[Result]] | None = None


@dataclass(frozen=True)
class _Operator:
    parameters: tuple[str, ...]
    body: ast.Expression
    scope: _Scope


class _Scope(NamedTuple):
    """The scope of a formula: its ``module``, the values ``given`` to its names by an instance, and ``bound`` names."""

    module: str
    given: Mapping[str, Result]
    bound: Mapping[str, Result]

    def binding(self, **more: Result) -> _Scope:
        return self._replace(bound={**self.bound, **more})


def _is_int(value: Result) -> bool:
    return type(value) is int


_BUILT_IN: Final[dict[str, Result]] = {
    "TRUE": True,
    "FALSE": False,
    "BOOLEAN": frozenset({True, False}),
    "Nat": _Set(lambda v: _is_int(v) and v >= 0),
    "Int": _Set(_is_int),
    "STRING": _Set(lambda v: type(v) is str),
}


def _number(value: Result) -> int:
    if not _is_int(value):
        raise NotCoveredError("arithmetic with something that is not an integer")
    return int(value)


def _truth(value: Result) -> bool:
    if type(value) is not bool:
        raise NotCoveredError("something that is neither TRUE nor FALSE stands for a formula")
    return value


def _sequence(value: Result) -> tuple[Result, ...]:
    if not isinstance(value, tuple):
        raise NotCoveredError("an operator of sequences is applied to something else")
    return value


def _elements(value: Result) -> Iterator[Result]:
    if isinstance(value, frozenset):
        found: Iterable[Result] = value
    elif isinstance(value, _Set) and value.elements:
        found = value.elements()
    else:
        raise NotCoveredError("an infinite set is gone through")
    for number, each in enumerate(found):
        if number >= _MOST_ELEMENTS:
            raise NotCoveredError(f"a set of more than {_MOST_ELEMENTS:,} elements is gone through")
        yield each


def _holds(value: Result, among: Result) -> bool:
    if isinstance(value, _Set):
        value = _frozen(value)
    if isinstance(among, frozenset):
        plain = type(value) not in (bool, int)  # of which Python takes TRUE for 1
        return value in among and (plain or any(type(each) is type(value) for each in among if each == value))
    if isinstance(among, _Set):
        return among.holds(value)
    raise NotCoveredError("membership in something that is not a set")


def _frozen(value: Result) -> frozenset[Result]:
    return value if isinstance(value, frozenset) else set_of(_elements(value))


def _equal(left: Result, right: Result) -> bool:
    if isinstance(left, _Set) or isinstance(right, _Set):
        left, right = _frozen(left), _frozen(right)
    if isinstance(left, _Operator) or isinstance(right, _Operator):
        raise NotCoveredError("operators are compared")
    return same(left, right)


def _both(listed: Result, other: Result) -> frozenset[Result]:
    return frozenset(each for each in _elements(listed) if _holds(each, other))


def _subsets(value: Result) -> _Set:
    def all_of() -> Iterator[Result]:
        items = list(_elements(value))
        sizes = (combinations(items, size) for size in range(len(items) + 1))
        return (frozenset(each) for each in chain.from_iterable(sizes))

    return _Set(lambda v: all(_holds(each, value) for each in _elements(v)), all_of)


def _pairs(value: Result) -> dict[Result, Result]:
    if isinstance(value, tuple):
        return dict(enumerate(value, start=1))
    if isinstance(value, Fn):
        return dict(value.items())
    raise NotCoveredError("a function is expected where something else is")


def _functions(domain: Result, codomain: Result) -> _Set:
    def all_of() -> Iterator[Result]:
        keys = list(_elements(domain))
        return (
            function(zip(keys, each, strict=True))
            for each in product(list(_elements(codomain)), repeat=len(keys))
        )

    def holds(value: Result) -> bool:
        pairs = _pairs(value)
        return _equal(frozenset(pairs), domain) and all(_holds(each, codomain) for each in pairs.values())

    return _Set(holds, all_of)


def _records(fields: Mapping[str, Result]) -> _Set:
    def all_of() -> Iterator[Result]:
        each_of = product(*(list(_elements(each)) for each in fields.values()))
        return (function(zip(fields, each, strict=True)) for each in each_of)

    def holds(value: Result) -> bool:
        pairs = _pairs(value)
        return set(pairs) == set(fields) and all(_holds(pairs[name], each) for name, each in fields.items())

    return _Set(holds, all_of)


def _tuples(factors: list[Result]) -> _Set:
    return _Set(
        lambda v: (
            len(_sequence(v)) == len(factors) and all(_holds(*pair) for pair in zip(v, factors, strict=True))
        ),
        lambda: product(*(list(_elements(each)) for each in factors)),
    )


def _interval(low: int, high: int) -> Result:
    if high - low < _MOST_ELEMENTS:
        return frozenset(range(low, high + 1))
    return _Set(lambda v: _is_int(v) and low <= v <= high)


def _modulo(left: Result, right: Result) -> int:
    if _number(right) <= 0:
        raise NotCoveredError("% or \\div by a number that is not positive")
    return _number(left) % _number(right)


_INFIX: Final[dict[str, Callable[[Result, Result], Result]]] = {
    "=": _equal,
    "#": lambda a, b: not _equal(a, b),
    "\\in": _holds,
    "\\notin": lambda a, b: not _holds(a, b),
    "\\cup": lambda a, b: set_of([*_elements(a), *_elements(b)]),
    "\\cap": lambda a, b: _both(b, a) if isinstance(a, _Set) and not a.elements else _both(a, b),
    "\\": lambda a, b: frozenset(each for each in _elements(a) if not _holds(each, b)),
    "\\subseteq": lambda a, b: all(_holds(each, b) for each in _elements(a)),
    "\\X": lambda a, b: _tuples([a, b]),
    "+": lambda a, b: _number(a) + _number(b),
    "-": lambda a, b: _number(a) - _number(b),
    "*": lambda a, b: _number(a) * _number(b),
    "%": _modulo,
    "\\div": lambda a, b: (_number(a) - _modulo(a, b)) // b,
    "<": lambda a, b: _number(a) < _number(b),
    ">": lambda a, b: _number(a) > _number(b),
    "<=": lambda a, b: _number(a) <= _number(b),
    ">=": lambda a, b: _number(a) >= _number(b),
    "..": lambda a, b: _interval(_number(a), _number(b)),
    "\\o": lambda a, b: _sequence(a) + _sequence(b),
    ":>": lambda a, b: function([(a, b)]),
    "@@": lambda a, b: function(_pairs(b) | _pairs(a)),
}
_CALLS: Final[dict[str, Callable[..., Result]]] = {
    "Len": lambda s: len(_sequence(s)),
    "Head": lambda s: _sequence(s)[0],
    "Tail": lambda s: _sequence(s)[1:] if s else _sequence(s)[0],
    "Append": lambda s, e: (*_sequence(s), e),
    "SubSeq": lambda s, m, n: tuple(
        _sequence(s)[k - 1] for k in range(_number(m), _number(n) + 1) if _from_one(k)
    ),
    "Seq": lambda s: _Set(lambda v: isinstance(v, tuple) and all(_holds(each, s) for each in v)),
    "Cardinality": lambda s: len(_frozen(s)),
    "IsFiniteSet": lambda s: isinstance(s, frozenset) or len(_frozen(s)) >= 0,
}


def _from_one(number: int) -> bool:
    if number < 1:
        raise NotCoveredError("an element of a sequence before its first")
    return True


def _given(model: PlainModel, name: str, own: str) -> Result:
    """Return the value of a constant that the root defines as ``own``, or why it has none here: it is an expression."""
    try:
        return parse_value(dict(line.split(" == ", 1) for line in model.definitions)[own])
    except (KeyError, ValueError, SpecError):
        return NotCoveredError(f"the value of {name} is an expression")


_BETWEEN_CLOCKS: Final = 10_000
"""The number of names that are evaluated between two checks of the time limit."""


class Evaluation:
    """Evaluates formulas of a model in states and steps."""

    def __init__(self, model: PlainModel) -> None:
        self.until = inf
        """The time (``time.monotonic``) at which an evaluation ends with NotCoveredError."""
        self._names = 0
        self._library = model.library
        self._module = model.module
        self._constants: dict[str, Result] = {}
        self._replaced: dict[str, str] = {}
        self._constant_values: dict[tuple[str, str], Result] = {}
        self._state: Mapping[Result, Result] = {}
        self._next: Mapping[Result, Result] | None = None
        for each in model.config.constants:
            if each.of:
                self._constants[each.name] = NotCoveredError(f"{each.name} is replaced in one module alone")
            elif each.value.startswith(GIVEN):
                self._constants[each.name] = _given(model, each.name, each.value)
            elif each.stands_in:
                self._replaced[each.name] = each.value
            else:
                self._constants[each.name] = parse_value(each.value)

    def holds(self, formula: ast.Expression, state: Fn, following: Fn | None = None) -> bool:
        """Return whether a formula of the model's module is true in a state, or of the step to the ``following`` one.

        Raises NotCoveredError, with the reason, if the formula is not covered or the time is up.
        """
        self._state, self._next = state, following
        try:
            return _truth(self._value(formula, _Scope(self._module, {}, {})))
        except _UNDEFINED:
            raise NotCoveredError(
                "a function or an operator is applied to what it is not defined for"
            ) from None
        except RecursionError:
            raise NotCoveredError("it is recursive, and too deep") from None

    def _primed(self, body: ast.Expression, scope: _Scope) -> Result:
        """Return the value of an expression in the second state of the step."""
        if self._next is None:
            raise NotCoveredError("a prime outside of a step")
        before, self._state, self._next = (self._state, self._next), self._next, None
        try:
            return self._value(body, scope)
        finally:
            self._state, self._next = before

    def _some(self, truths: Iterable[Callable[[], Result]]) -> bool:
        """Return whether one of some formulas is true; if none is, raise the error of the first that is not covered."""
        reason: Exception | None = None
        for each in truths:
            try:
                if _truth(each()):
                    return True
            except (NotCoveredError, *_UNDEFINED) as error:
                reason = reason or error
        if reason:
            raise reason
        return False

    def _named(self, name: str, scope: _Scope, arguments: tuple[ast.Expression, ...] = ()) -> Result:
        """Return the value of a name, or of the operator of that name for its arguments."""
        self._names += 1
        if not self._names % _BETWEEN_CLOCKS and monotonic() > self.until:
            raise NotCoveredError("the time was up")
        if name in scope.bound:
            return self._applied(scope.bound[name], arguments, scope)
        if name in scope.given:
            return self._applied(scope.given[name], arguments, scope)
        if name in self._state and not arguments:
            return self._state[name]
        if name in self._replaced:
            name, scope = self._replaced[name], _Scope(self._module, {}, scope.bound)
        if name in self._constants:
            found = self._constants[name]
            if isinstance(found, NotCoveredError) or arguments:
                raise (
                    found if isinstance(found, NotCoveredError) else NotCoveredError(f"{name} is an operator")
                )
            return found
        if self._library.defines(scope.module, name):
            return self._defined(self._library.definition(scope.module, name), scope.given, arguments, scope)
        if "!" in name and (instanced := self._library.of_instance(scope.module, name)):
            instance, definition = instanced
            if instance.parameters:
                raise NotCoveredError(f"{name}: its instance has parameters")
            given = {
                each: _Operator((), value, scope._replace(bound={}))
                for each, value in instance.substitutions.items()
            }
            return self._defined(definition, given, arguments, scope)
        if name in _BUILT_IN and not arguments:
            return _BUILT_IN[name]
        if name == "SelectSeq" and len(arguments) == 2:
            return self._selected(*arguments, scope)
        if name in _CALLS:
            return _CALLS[name](*(self._value(each, scope) for each in arguments))
        raise NotCoveredError(f"{name} is not among the operators of this evaluation")

    def _selected(self, sequence: ast.Expression, test: ast.Expression, scope: _Scope) -> Result:
        """Return the elements of a sequence for which a test is true."""
        operator = self._argument(test, scope)
        if not isinstance(operator, _Operator) or len(operator.parameters) != 1:
            raise NotCoveredError("SelectSeq with something that is not an operator of one argument")
        elements = _sequence(self._value(sequence, scope))
        name = operator.parameters[0]
        return tuple(
            each
            for each in elements
            if _truth(self._value(operator.body, operator.scope.binding(**{name: each})))
        )

    def _defined(
        self,
        definition: Definition,
        given: Mapping[str, Result],
        arguments: tuple[ast.Expression, ...],
        scope: _Scope,
    ) -> Result:
        inner = _Scope(definition.module, given, {})
        key = (definition.module, definition.name)
        if definition.level or arguments or given:
            return self._applied(_Operator(definition.parameters, definition.body, inner), arguments, scope)
        if key not in self._constant_values:
            self._constant_values[key] = self._applied(
                _Operator(definition.parameters, definition.body, inner), (), scope
            )
        return self._constant_values[key]

    def _applied(self, found: Result, arguments: tuple[ast.Expression, ...], scope: _Scope) -> Result:
        if not isinstance(found, _Operator):
            if arguments:
                raise NotCoveredError("something that is not an operator has arguments")
            return found
        if not found.parameters:
            return self._value(found.body, found.scope)
        if not arguments:
            return found
        bound = {
            name.partition("(")[0]: self._argument(each, scope)
            for name, each in zip(found.parameters, arguments, strict=True)
        }
        return self._value(found.body, found.scope.binding(**bound))

    def _argument(self, expression: ast.Expression, scope: _Scope) -> Result:
        """Return an argument, by name if it depends on the state, so that a prime of it primes the given expression."""
        match expression:
            case ast.Lambda(parameters, body):
                return _Operator(parameters, body, scope)
            case ast.Name(name) if name in scope.bound:
                return scope.bound[name]
            case ast.Literal():
                return self._value(expression, scope)
            case ast.Name(name) if self._library.defines(scope.module, name) and (
                (found := self._library.definition(scope.module, name)).parameters
            ):
                return _Operator(found.parameters, found.body, _Scope(found.module, scope.given, {}))
        return _Operator((), expression, scope)

    def _bound(self, bounds: tuple[ast.Bound, ...], scope: _Scope) -> Iterator[_Scope]:
        """Yield the scope with each choice of values for the bound names."""
        if not bounds:
            yield scope
            return
        first = bounds[0]
        if first.domain is None:
            raise NotCoveredError("a quantifier without a domain")
        domain = list(_elements(self._value(first.domain, scope)))
        for each in domain if first.tupled else product(domain, repeat=len(first.names)):
            yield from self._bound(bounds[1:], scope.binding(**dict(zip(first.names, each, strict=True))))

    def _function(self, bounds: tuple[ast.Bound, ...], value: ast.Expression, scope: _Scope) -> Result:
        names = [name for bound in bounds for name in bound.names]
        single = len(names) == 1 and not bounds[0].tupled
        pairs = []
        for inner in self._bound(bounds, scope):
            key = inner.bound[names[0]] if single else tuple(inner.bound[name] for name in names)
            pairs.append((key, self._frozen(value, inner)))
        return function(pairs)

    def _frozen(self, expression: ast.Expression, scope: _Scope) -> Result:
        """Return a value that is a part of another: a set by its elements."""
        found = self._value(expression, scope)
        return _frozen(found) if isinstance(found, _Set) else found

    def _value(self, expression: ast.Expression, scope: _Scope) -> Result:
        match expression:
            case ast.Literal(text):
                return parse_value(text)
            case ast.Name(name):
                return self._named(name, scope)
            case ast.Call(name, arguments):
                return self._named(name, scope, arguments)
            case ast.Junction(operator, items):
                if operator == "/\\":
                    return all(_truth(self._value(each, scope)) for each in items)
                return self._some(partial(self._value, each, scope) for each in items)
            case ast.Infix("/\\", left, right):
                return _truth(self._value(left, scope)) and _truth(self._value(right, scope))
            case ast.Infix("\\/", left, right):
                return self._some(partial(self._value, each, scope) for each in (left, right))
            case ast.Infix("=>", left, right):
                return not _truth(self._value(left, scope)) or _truth(self._value(right, scope))
            case ast.Infix("<=>", left, right):
                return _truth(self._value(left, scope)) == _truth(self._value(right, scope))
            case ast.Infix(operator, left, right) if self._library.defines(scope.module, operator):
                return self._named(operator, scope, (left, right))
            case ast.Infix(operator, left, right) if operator in _INFIX:
                return _INFIX[operator](self._value(left, scope), self._value(right, scope))
            case ast.Prefix("~", body):
                return not _truth(self._value(body, scope))
            case ast.Prefix("-", body):
                return -_number(self._value(body, scope))
            case ast.Prefix("DOMAIN", body):
                return frozenset(_pairs(self._value(body, scope)))
            case ast.Prefix("SUBSET", body):
                return _subsets(self._value(body, scope))
            case ast.Prefix("UNION", body):
                return set_of(
                    part for each in _elements(self._value(body, scope)) for part in _elements(each)
                )
            case ast.Prime(body):
                return self._primed(body, scope)
            case ast.Prefix("UNCHANGED", body):
                return _equal(self._value(body, scope), self._primed(body, scope))
            case ast.Product(factors):
                return _tuples([self._value(each, scope) for each in factors])
            case ast.Quantification("\\A", bounds, body):
                return all(_truth(self._value(body, each)) for each in self._bound(bounds, scope))
            case ast.Quantification("\\E", bounds, body):
                return self._some(partial(self._value, body, each) for each in self._bound(bounds, scope))
            case ast.Quantification("CHOOSE", (ast.Bound((name,), _, False),) as bounds, body):
                chosen = [
                    each.bound[name] for each in self._bound(bounds, scope) if _truth(self._value(body, each))
                ]
                if len(chosen) != 1:
                    raise NotCoveredError(f"a CHOOSE with {len(chosen)} answers")
                return chosen[0]
            case ast.Listed("{", items):
                return set_of(self._frozen(each, scope) for each in items)
            case ast.Listed("<<", items):
                return tuple(self._frozen(each, scope) for each in items)
            case ast.Filtered(bound, condition):
                (key, *more) = bound.names
                values = (
                    tuple(each.bound[name] for name in bound.names)
                    if more or bound.tupled
                    else each.bound[key]
                    for each in self._bound((bound,), scope)
                    if _truth(self._value(condition, each))
                )
                return set_of(values)
            case ast.Collected(value, bounds):
                return set_of(self._frozen(value, each) for each in self._bound(bounds, scope))
            case ast.Record("|->", entries):
                return function((name, self._frozen(each, scope)) for name, each in entries)
            case ast.Record(_, entries):
                return _records({name: self._value(each, scope) for name, each in entries})
            case ast.FunctionOf(bounds, value):
                return self._function(bounds, value, scope)
            case ast.FunctionSpace(domain, codomain):
                return _functions(self._value(domain, scope), self._value(codomain, scope))
            case ast.Except(base, updates):
                found = self._value(base, scope)
                for path, value in updates:
                    found = self._updated(found, path, value, scope)
                return found
            case ast.Index(base, arguments):
                keys = tuple(self._frozen(each, scope) for each in arguments)
                return _pairs(self._value(base, scope))[keys[0] if len(keys) == 1 else keys]
            case ast.Field(base, name):
                return _pairs(self._value(base, scope))[name]
            case ast.If(condition, then, otherwise):
                return self._value(then if _truth(self._value(condition, scope)) else otherwise, scope)
            case ast.CaseOf(arms):
                return self._case(arms, scope)
            case ast.Let(definitions, body):
                return self._let(definitions, body, scope)
            case ast.Lambda(parameters, body):
                return _Operator(parameters, body, scope)
        words = getattr(expression, "operator", "") or type(expression).__name__
        raise NotCoveredError(f"{words} is not among the operators of this evaluation")

    def _let(self, definitions: tuple[ast.Binding, ...], body: ast.Expression, scope: _Scope) -> Result:
        """Return the value of a body with definitions, each of which may use the others and itself."""
        bound: dict[str, Result] = dict(scope.bound)
        scope = scope._replace(bound=bound)
        bound.update((each.name, _Operator(each.parameters, each.body, scope)) for each in definitions)
        return self._value(body, scope)

    def _case(self, arms: tuple[tuple[ast.Expression, ast.Expression], ...], scope: _Scope) -> Result:
        """Return the value of the one arm that holds; which of several TLC takes is not known."""
        *named, (last, otherwise) = arms
        if last != ast.Name("OTHER"):
            named, otherwise = list(arms), ast.Name("OTHER")
        taken = [value for condition, value in named if _truth(self._value(condition, scope))]
        if len(taken) > 1 or (not taken and otherwise == ast.Name("OTHER")):
            raise NotCoveredError(f"a CASE of which {len(taken)} arms hold")
        return self._value(taken[0] if taken else otherwise, scope)

    def _updated(
        self,
        base: Result,
        path: tuple[tuple[ast.Expression, ...] | str, ...],
        value: ast.Expression,
        scope: _Scope,
    ) -> Result:
        if not path:
            return self._frozen(value, scope.binding(**{"@": base}))
        pairs, (first, *rest) = _pairs(base), path
        keys = first if isinstance(first, str) else tuple(self._frozen(each, scope) for each in first)
        key = keys[0] if isinstance(keys, tuple) and len(keys) == 1 else keys
        if key in pairs:  # else EXCEPT changes nothing
            pairs[key] = self._updated(pairs[key], tuple(rest), value, scope)
        return function(pairs)
