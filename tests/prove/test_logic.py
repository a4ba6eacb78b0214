"""Formulas: what they say in a finite universe, and the same in the text that solvers read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyharness.prove.logic import (
    ABOVE,
    BOOL,
    CHANNEL,
    FALSE,
    POSITION,
    PROCESS,
    TRUE,
    Structure,
    Symbol,
    Universe,
    conj,
    disj,
    equal,
    every,
    exactly,
    implies,
    ite,
    negate,
    script,
    some,
    text_of,
)
from pyharness.prove.obligations import parts

RED = Symbol("red", (PROCESS,), BOOL)
SOURCE = Symbol("source", (CHANNEL,), PROCESS)
HERE = Symbol("here", (CHANNEL, POSITION), BOOL)

ENDS = [Symbol(name, (), PROCESS)() for name in ("first", "last")]
ONLY = Symbol("only", (), CHANNEL)()
PLACES = [Symbol(name, (), POSITION)() for name in ("low", "high")]


def structure(universe, **values):
    table = {"red": RED, "source": SOURCE, "here": HERE}
    return Structure(universe, {(table[n], k): v for n, at in values.items() for k, v in at.items()})


def test_an_inner_variable_of_the_same_name_captures_nothing():
    def one_is_not(outer):
        return some(lambda p: RED(outer) & ~RED(p))

    two = every(lambda p: some(lambda q: RED(p) & ~RED(q)))
    assert text_of(two).replace("q_1", "p_1") == text_of(every(lambda p: one_is_not(p)))


def test_symbols_take_arguments_of_their_sorts_only():
    with pytest.raises(TypeError, match="source takes"):
        SOURCE(Symbol("p", (), PROCESS)())
    with pytest.raises(TypeError, match="a Process is not a Channel"):
        equal(Symbol("p", (), PROCESS)(), Symbol("c", (), CHANNEL)())


def test_what_is_plainly_true_disappears():
    p = RED(Symbol("p", (), PROCESS)())
    assert conj(p, TRUE) == p
    assert disj(p, TRUE) == TRUE
    assert implies(FALSE, p) == TRUE
    assert implies(p, FALSE) == negate(p)
    assert ite(TRUE, p, FALSE) == p
    assert every(lambda c: TRUE) == TRUE
    assert negate(negate(p)) == p


@given(
    red=st.lists(st.booleans(), min_size=3, max_size=3),
    source=st.lists(st.integers(0, 2), min_size=2, max_size=2),
)
def test_a_formula_means_in_a_structure_what_it_says(red, source):
    world = structure(
        Universe(3, 2, 1),
        red={(p,): r for p, r in enumerate(red)},
        source={(c,): s for c, s in enumerate(source)},
    )
    assert world.holds(every(lambda c: RED(SOURCE(c)))) == all(red[s] for s in source)
    assert world.holds(some(lambda c: ~RED(SOURCE(c)))) == any(not red[s] for s in source)
    assert world.holds(exactly(lambda p: RED(p))) == (sum(red) == 1)
    assert world.holds(every(lambda c, d: implies(equal(SOURCE(c), SOURCE(d)), equal(c, d)))) == (
        len(set(source)) == len(source)
    )
    other = every(lambda c: RED(ite(RED(SOURCE(c)), SOURCE(c), SOURCE(c))))
    assert world.holds(other) == all(red[s] for s in source)


def test_a_script_asserts_asks_and_orders_positions():
    text = script(
        "head",
        {"given": every(lambda j, k: ABOVE(j, k))},
        [some(lambda k: HERE(Symbol("c", (), CHANNEL)(), k))],
    )
    assert text.startswith("; head\n(set-logic UF)\n")
    assert text.count("(check-sat)") == 1
    assert "; above is transitive" in text
    assert "(assert (not (exists" in text


@pytest.mark.parametrize("solver", ["cvc5", "z3"])
def test_the_solvers_agree_with_the_finite_meaning(solver):
    pytest.importorskip(solver)
    from pyharness.prove.finite_search import find, smallest
    from pyharness.prove.solvers import ask

    two = conj(some(lambda p, q: ~equal(p, q) & RED(p) & ~RED(q)), every(lambda c: RED(SOURCE(c))))
    found = smallest(two, solver)
    assert found.universe.processes == 2
    assert found.holds(two)
    assert find(two, Universe(1, 1, 1), solver) is None
    never = script("", {"all": every(lambda p: RED(p))}, [every(lambda p: RED(p))])
    assert ask(solver, never, 5).verdict == "unsat"
    refuted = script("", {"some": some(lambda p: RED(p))}, [every(lambda p: RED(p))])
    assert ask(solver, refuted, 5).verdict != "unsat"
    assert ask(solver, "(this is no SMT-LIB", 5).verdict == "unknown"


WORLD = {
    "processes": every(lambda p: disj(*(equal(p, each) for each in ENDS))),
    "two of them": ~equal(*ENDS),
    "red": conj(RED(ENDS[0]), ~RED(ENDS[1])),
    "channels": every(lambda c: equal(c, ONLY)),
    "it leads to": equal(SOURCE(ONLY), ENDS[1]),
    "positions": every(lambda k: disj(*(equal(k, each) for each in PLACES))),
    "their order": ABOVE(PLACES[1], PLACES[0]),
    "here": conj(HERE(ONLY, PLACES[0]), ~HERE(ONLY, PLACES[1])),
}
"""Says everything of :data:`THAT`, in words that solvers read too."""

THAT = structure(Universe(2, 1, 2), red={(0,): 1}, source={(0,): 1}, here={(0, 0): 1})

SAID = [
    every(lambda p: RED(p)),
    some(lambda p: RED(p)),
    exactly(lambda p: RED(p)),
    every(lambda c: RED(SOURCE(c))),
    every(lambda c: some(lambda p: RED(p) & ~equal(p, SOURCE(c)))),
    some(lambda p: every(lambda q: implies(RED(q), equal(p, q)))),
    every(lambda p, q: equal(RED(p), RED(q))),
    every(lambda p, q: implies(equal(RED(p), RED(q)), equal(p, q))),
    every(lambda p: implies(RED(p), some(lambda q: ~RED(q)))),
    every(lambda p: implies(some(lambda q: ~RED(q)), RED(p))),
    every(lambda c, p: RED(ite(RED(p), p, SOURCE(c)))),
    some(lambda c, p: RED(ite(RED(p), SOURCE(c), p))),
    every(lambda c, k: disj(HERE(c, k), some(lambda j: HERE(c, j) & ABOVE(k, j)))),
    every(lambda c, k: disj(HERE(c, k), some(lambda j: HERE(c, j) & ABOVE(j, k)))),
    some(lambda j, k: ABOVE(j, k) & ABOVE(k, j)),
    every(lambda j, k: disj(ABOVE(j, k), ABOVE(k, j))),
]


@pytest.mark.parametrize("solver", ["cvc5", "z3"])
def test_a_solver_reads_of_a_formula_what_it_means_and_not_its_contrary(solver):
    """Of what is asked, with all that is asserted, a solver proves what holds; what does not hold it does not prove."""
    pytest.importorskip(solver)
    from pyharness.prove.solvers import ask

    def proved(formula):
        return ask(solver, script("", WORLD, [formula]), 5).verdict == "unsat"

    assert len({THAT.holds(formula) for formula in SAID}) == 2
    for formula in SAID:
        assert (proved(formula), proved(negate(formula))) == (THAT.holds(formula), not THAT.holds(formula))


def test_of_a_goal_each_part_is_asked_for():
    p, q, r = (RED(Symbol(name, (), PROCESS)()) for name in ("p", "q", "r"))
    goal = conj(p, implies(q, conj(r, implies(p, conj(q, r)))))
    assert list(parts(goal)) == [p, implies(q, r), implies(q, implies(p, q)), implies(q, implies(p, r))]


@pytest.mark.parametrize("solver", ["cvc5", "z3"])
def test_every_question_of_a_script_must_be_answered(solver):
    pytest.importorskip(solver)
    from pyharness.prove.solvers import ask

    first_only = script(
        "", {"some": some(lambda p: RED(p))}, [some(lambda p: RED(p)), every(lambda p: RED(p))]
    )
    assert ask(solver, first_only, 5).verdict != "unsat"
