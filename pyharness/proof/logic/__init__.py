"""Many-sorted first-order logic: formulas, their SMT-LIB text, and their meaning in a finite universe.

A formula is written once. Printed, it is what a solver judges for every universe; expanded over a finite one, it is
a condition on its atoms, from which small counterexamples come; evaluated, it says what holds of a concrete state.
"""

from pyharness.proof.logic.evaluation import Structure, compiled, reader
from pyharness.proof.logic.finite_universe import Element, Universe, expand
from pyharness.proof.logic.formula import (
    ABOVE,
    BOOL,
    CHANNEL,
    FALSE,
    GLOBAL,
    MESSAGE,
    POSITION,
    PROCESS,
    STATE,
    TRUE,
    App,
    Expr,
    Sort,
    Symbol,
    conj,
    constant,
    disj,
    equal,
    every,
    exactly,
    iff,
    implies,
    ite,
    negate,
    some,
    symbols_of,
)
from pyharness.proof.logic.smtlib import script, text_of

__all__ = [
    "ABOVE",
    "BOOL",
    "CHANNEL",
    "FALSE",
    "GLOBAL",
    "MESSAGE",
    "POSITION",
    "PROCESS",
    "STATE",
    "TRUE",
    "App",
    "Element",
    "Expr",
    "Sort",
    "Structure",
    "Symbol",
    "Universe",
    "compiled",
    "conj",
    "constant",
    "disj",
    "equal",
    "every",
    "exactly",
    "expand",
    "iff",
    "implies",
    "ite",
    "negate",
    "reader",
    "script",
    "some",
    "symbols_of",
    "text_of",
]
