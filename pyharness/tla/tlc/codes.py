"""TLC's message codes by name: the number, what it says, and what it makes of a run.

The names are TLC's own, those of ``tlc2.output.EC``, and the numbers are the same in 2.15 and in later builds where
both have them. Only codes that something here depends on are listed; a message of another one is an error of the tool
if TLC prints it as an error, and else is passed over.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING, Final, Self

from pyharness.tla.tlc.messages import BUG, ERROR
from pyharness.tla.tlc.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.tla.tlc.messages import Message


class Code(IntEnum):
    """A message code: its number, its ``meaning``, and the ``outcome`` that it stands for, if it reports one."""

    meaning: str
    outcome: Outcome | None

    def __new__(cls, number: int, meaning: str, outcome: Outcome | None = None) -> Self:
        """Make a member of a row of the table."""
        code = int.__new__(cls, number)
        code._value_ = number
        code.meaning = meaning
        code.outcome = outcome
        return code

    # -- how a run goes
    GENERAL = 1000, "an exception; messages inside it are its cause"
    TLC_FINISHED = 2186, "TLC came to its end"
    TLC_MODE_MC = 2187, "a breadth-first search begins"
    TLC_MODE_SIMU = 2188, "a simulation begins"
    TLC_MODE_MC_DFS = 2271, "a depth-first search begins"
    TLC_INIT_GENERATED1 = 2190, "the initial states were computed"
    TLC_INIT_GENERATED2 = 2191, "the initial states were computed, some of them twice"
    TLC_INIT_GENERATED3 = 2207, "the initial states were computed, more than one"
    TLC_INIT_GENERATED4 = 2208, "the initial states were computed, some of them twice, more than one"
    TLC_SUCCESS = 2193, "no error has been found"
    TLC_SEARCH_DEPTH = 2194, "the depth of the state graph"
    TLC_STATS = 2199, "the final counts of states"
    TLC_PROGRESS_STATS = 2200, "the counts so far"
    TLC_PROGRESS_STATS_DFID = 2206, "the counts of a depth-first search so far"
    TLC_PROGRESS_SIMU = 2209, "the counts of a simulation so far"
    TLC_STATS_SIMU = 2210, "the final counts of a simulation"
    TLC_VERSION = 2262, "TLC's version"
    TLC_CHECKING_TEMPORAL_PROPS_END = 2267, "temporal properties were checked"
    TLC_ENVIRONMENT_JVM_GC = 2401, "advice to use another garbage collector"

    # -- coverage
    TLC_COVERAGE_START = 2201, "a coverage report begins"
    TLC_COVERAGE_END = 2202, "a coverage report ends"
    TLC_COVERAGE_VALUE = 2221, "how often an expression was evaluated"
    TLC_COVERAGE_NEXT = 2772, "how often an action was taken"
    TLC_COVERAGE_INIT = 2773, "how often the initial predicate held"
    TLC_COVERAGE_PROPERTY = 2774, "a property, whose expressions follow"
    TLC_COVERAGE_VALUE_COST = 2775, "how often an expression was evaluated, and at which cost"
    TLC_COVERAGE_END_OVERHEAD = 2777, "a coverage report ends, with advice to do without"
    TLC_COVERAGE_CONSTRAINT = 2778, "a constraint, whose expressions follow"

    # -- traces
    TLC_BEHAVIOR_UP_TO_THIS_POINT = 2121, "a finite trace follows"
    TLC_BACK_TO_STATE = 2122, "the trace returns to an earlier state"
    TLC_STATE_PRINT1 = 2216, "a state of a trace"
    TLC_STATE_PRINT2 = 2217, "a state of a counterexample"
    TLC_STATE_PRINT3 = 2218, "the trace stays in its last state"
    TLC_COUNTER_EXAMPLE = 2264, "an infinite trace follows"

    # -- violations
    TLC_ASSUMPTION_FALSE = 2104, "an ASSUME is false", Outcome.ASSUMPTION
    TLC_INVARIANT_VIOLATED_INITIAL = 2107, "an invariant is violated by an initial state", Outcome.INVARIANT
    TLC_PROPERTY_VIOLATED_INITIAL = (
        2108,
        "a property is violated by an initial state",
        Outcome.ACTION_PROPERTY,
    )
    TLC_INVARIANT_VIOLATED_BEHAVIOR = 2110, "an invariant is violated", Outcome.INVARIANT
    TLC_ACTION_PROPERTY_VIOLATED_BEHAVIOR = 2112, "a property of steps is violated", Outcome.ACTION_PROPERTY
    TLC_DEADLOCK_REACHED = 2114, "a state without a successor", Outcome.DEADLOCK
    TLC_TEMPORAL_PROPERTY_VIOLATED = 2116, "a temporal property is violated", Outcome.TEMPORAL
    TLC_VALUE_ASSERT_FAILED = 2132, "an Assert is false", Outcome.ASSERTION
    TLC_POSTCONDITION_FALSE = 2404, "a POSTCONDITION is false", Outcome.POSTCONDITION

    # -- the machine
    SYSTEM_OUT_OF_MEMORY = 1001, "Java's heap is full", Outcome.OUT_OF_MEMORY
    SYSTEM_OUT_OF_MEMORY_TOO_MANY_INIT = 1002, "Java's heap is full of initial states", Outcome.OUT_OF_MEMORY
    SYSTEM_OUT_OF_MEMORY_LIVENESS = 1003, "Java's heap is full of the liveness graph", Outcome.OUT_OF_MEMORY
    SYSTEM_STACK_OVERFLOW = 1005, "Java's stack is full", Outcome.STACK_OVERFLOW

    # -- modules that cannot be parsed
    TLC_PARSING_FAILED2 = 2171, "the parser refuses a module", Outcome.PARSE_ERROR
    TLC_NO_MODULES = 2245, "there is no module", Outcome.PARSE_ERROR
    TLC_PARSING_FAILED = 3002, "the parser refuses the specification", Outcome.PARSE_ERROR
    SANY_PARSER_CHECK_1 = 4000, "the parser fails", Outcome.PARSE_ERROR
    SANY_PARSER_CHECK_2 = 4001, "the parser fails on the syntax", Outcome.PARSE_ERROR
    SANY_PARSER_CHECK_3 = 4002, "the parser fails on the meaning", Outcome.PARSE_ERROR

    # -- configurations that are refused
    TLC_INVARIANT_VIOLATED_LEVEL = 2146, "an invariant is no formula about states", Outcome.CONFIG_ERROR
    TLC_INVARIANT_CONSTANT_LEVEL = 2149, "an invariant is a constant", Outcome.CONFIG_ERROR
    TLC_CONFIG_VALUE_NOT_ASSIGNED_TO_CONSTANT_PARAM = 2222, "a constant has no value", Outcome.CONFIG_ERROR
    TLC_CONFIG_RHS_ID_APPEARED_AFTER_LHS_ID = (
        2223,
        "a replacement stands before what it replaces",
        Outcome.CONFIG_ERROR,
    )
    TLC_CONFIG_WRONG_SUBSTITUTION = 2224, "a replacement that is none", Outcome.CONFIG_ERROR
    TLC_CONFIG_WRONG_SUBSTITUTION_NUMBER_OF_ARGS = (
        2225,
        "a replacement with another number of arguments",
        Outcome.CONFIG_ERROR,
    )
    TLC_CONFIG_ID_DOES_NOT_APPEAR_IN_SPEC = 2226, "a name is not in the specification", Outcome.CONFIG_ERROR
    TLC_CONFIG_NOT_BOTH_SPEC_AND_INIT = 2227, "both SPECIFICATION and INIT", Outcome.CONFIG_ERROR
    TLC_CONFIG_ID_REQUIRES_NO_ARG = 2228, "an operator here takes no arguments", Outcome.CONFIG_ERROR
    TLC_CONFIG_SPECIFIED_NOT_DEFINED = 2229, "a name is not defined", Outcome.CONFIG_ERROR
    TLC_CONFIG_ID_HAS_VALUE = 2230, "a name here has a value, and is no operator", Outcome.CONFIG_ERROR
    TLC_CONFIG_MISSING_INIT = 2231, "there is no INIT", Outcome.CONFIG_ERROR
    TLC_CONFIG_MISSING_NEXT = 2232, "there is no NEXT", Outcome.CONFIG_ERROR
    TLC_CONFIG_ID_MUST_NOT_BE_CONSTANT = 2233, "a name here must not be a constant", Outcome.CONFIG_ERROR
    TLC_CONFIG_OP_NO_ARGS = 2234, "an operator here takes no arguments", Outcome.CONFIG_ERROR
    TLC_CONFIG_OP_NOT_IN_SPEC = 2235, "an operator is not in the specification", Outcome.CONFIG_ERROR
    TLC_CONFIG_OP_IS_EQUAL = 2236, "an operator is equal to a value", Outcome.CONFIG_ERROR
    TLC_CONFIG_SPEC_IS_TRIVIAL = 2237, "the specification is trivial", Outcome.CONFIG_ERROR
    TLC_CANT_HANDLE_CONJUNCT = 2239, "a conjunct that TLC cannot take", Outcome.CONFIG_ERROR
    TLC_CANT_HANDLE_TOO_MANY_NEXT_STATE_RELS = 2240, "several next-state relations", Outcome.CONFIG_ERROR
    TLC_CONFIG_PROPERTY_NOT_CORRECTLY_DEFINED = (
        2241,
        "a property is not correctly defined",
        Outcome.CONFIG_ERROR,
    )
    TLC_CONFIG_OP_ARITY_INCONSISTENT = (
        2242,
        "an operator takes another number of arguments",
        Outcome.CONFIG_ERROR,
    )
    TLC_CONFIG_NO_STATE_TYPE = 2243, "no type of states", Outcome.CONFIG_ERROR
    TLC_CONFIG_NO_SPEC_BUT_PROPERTY = 2257, "a property without a specification", Outcome.CONFIG_ERROR
    TLC_CONFIG_NO_FAIRNESS_BUT_LIVE_PROPERTY = (
        2259,
        "a property of liveness without fairness",
        Outcome.CONFIG_ERROR,
    )
    TLC_CONFIG_PROPERTY_ACTION_LEVEL = 2272, "a property is an action", Outcome.CONFIG_ERROR
    TLC_CONFIG_PROPERTY_ACTION_LEVEL_SQUARE_A_SUB_V = (
        2273,
        "a property is [A]_v, without []",
        Outcome.CONFIG_ERROR,
    )
    TLC_CONFIG_PROPERTY_ACTION_LEVEL_ANGLE_A_SUB_V = (
        2274,
        "a property is <<A>>_v, without <>",
        Outcome.CONFIG_ERROR,
    )
    TLC_FEATURE_UNSUPPORTED_LIVENESS_SYMMETRY = 2279, "liveness with symmetry", Outcome.CONFIG_ERROR
    TLC_CONFIG_UNDEFINED_OR_NO_OPERATOR = 2280, "the replacing operator is not defined", Outcome.CONFIG_ERROR
    TLC_CONFIG_SUBSTITUTION_NON_CONSTANT = 2281, "a replacement of what is not constant", Outcome.CONFIG_ERROR
    CFG_ERROR_READING_FILE = 5001, "the configuration cannot be read", Outcome.CONFIG_ERROR
    CFG_GENERAL = 5002, "the configuration is wrong", Outcome.CONFIG_ERROR
    CFG_MISSING_ID = 5003, "a name is missing", Outcome.CONFIG_ERROR
    CFG_TWICE_KEYWORD = 5004, "a keyword stands twice", Outcome.CONFIG_ERROR
    CFG_EXPECT_ID = 5005, "a name is expected", Outcome.CONFIG_ERROR
    CFG_EXPECTED_SYMBOL = 5006, "a symbol is expected", Outcome.CONFIG_ERROR

    # -- expressions that cannot be evaluated
    TLC_INITIAL_STATE = 2102, "an error in an initial state", Outcome.EVALUATION_ERROR
    TLC_NESTED_EXPRESSION = 2103, "an error, with the expressions around it", Outcome.EVALUATION_ERROR
    TLC_ASSUMPTION_EVALUATION_ERROR = 2105, "an ASSUME cannot be evaluated", Outcome.EVALUATION_ERROR
    TLC_STATE_NOT_COMPLETELY_SPECIFIED_INITIAL = (
        2106,
        "an initial state lacks a variable",
        Outcome.EVALUATION_ERROR,
    )
    TLC_STATE_NOT_COMPLETELY_SPECIFIED_NEXT = 2109, "a next state lacks a variable", Outcome.EVALUATION_ERROR
    TLC_INVARIANT_EVALUATION_FAILED = 2111, "an invariant cannot be evaluated", Outcome.EVALUATION_ERROR
    TLC_ACTION_PROPERTY_EVALUATION_FAILED = (
        2113,
        "a property of steps cannot be evaluated",
        Outcome.EVALUATION_ERROR,
    )
    TLC_STATES_AND_NO_NEXT_ACTION = (
        2115,
        "there are states, and no next-state relation",
        Outcome.EVALUATION_ERROR,
    )
    TLC_NO_STATES_SATISFYING_INIT = 2118, "no state satisfies the initial predicate", Outcome.EVALUATION_ERROR
    TLC_COULD_NOT_DETERMINE_SUBSCRIPT = 2139, "a subscript cannot be determined", Outcome.EVALUATION_ERROR
    TLC_SUBSCRIPT_CONTAIN_NO_STATE_VAR = 2140, "a subscript without a variable", Outcome.EVALUATION_ERROR
    TLC_WRONG_TUPLE_FIELD_NAME = 2141, "a tuple has no such field", Outcome.EVALUATION_ERROR
    TLC_WRONG_RECORD_FIELD_NAME = 2142, "a record has no such field", Outcome.EVALUATION_ERROR
    TLC_UNCHANGED_VARIABLE_CHANGED = 2143, "UNCHANGED of a variable that changes", Outcome.EVALUATION_ERROR
    TLC_EXCEPT_APPLIED_TO_UNKNOWN_FIELD = (
        2144,
        "EXCEPT of a field that is not there",
        Outcome.EVALUATION_ERROR,
    )
    TLC_MODULE_TLCGET_UNDEFINED = 2145, "TLCGet of what was not set", Outcome.EVALUATION_ERROR
    TLC_FINGERPRINT_EXCEPTION = 2147, "a value cannot be fingerprinted", Outcome.EVALUATION_ERROR
    TLC_STATE_NOT_COMPLETELY_SPECIFIED_LIVE = (
        2148,
        "a state lacks a variable that liveness needs",
        Outcome.EVALUATION_ERROR,
    )
    TLC_MODULE_VALUE_JAVA_METHOD_OVERRIDE = (
        2154,
        "a Java override of an operator fails",
        Outcome.EVALUATION_ERROR,
    )
    TLC_MODULE_COMPARE_VALUE = 2155, "values that cannot be compared", Outcome.EVALUATION_ERROR
    TLC_FEATURE_UNSUPPORTED = 2156, "a feature that TLC does not have", Outcome.EVALUATION_ERROR
    TLC_MODULE_TRANSITIVE_CLOSURE = (
        2157,
        "a transitive closure of what is no relation",
        Outcome.EVALUATION_ERROR,
    )
    TLC_MODULE_CHECK_MEMBER_OF = 2158, "membership of what cannot be in the set", Outcome.EVALUATION_ERROR
    TLC_CHOOSE_ARGUMENTS_WRONG = 2164, "CHOOSE with wrong arguments", Outcome.EVALUATION_ERROR
    TLC_CHOOSE_UPPER_BOUND = 2165, "CHOOSE from a set that cannot be enumerated", Outcome.EVALUATION_ERROR
    TLC_MODULE_ARGUMENT_ERROR = 2169, "an argument of another type", Outcome.EVALUATION_ERROR
    TLC_ARGUMENT_MISMATCH = 2170, "another number of arguments", Outcome.EVALUATION_ERROR
    TLC_TOO_MNY_POSSIBLE_STATES = 2172, "too many possible states", Outcome.EVALUATION_ERROR
    TLC_MODULE_APPLYING_TO_WRONG_VALUE = (
        2176,
        "an operator applied to a wrong value",
        Outcome.EVALUATION_ERROR,
    )
    TLC_MODULE_BAG_UNION1 = 2177, "a union of bags of what is no bag", Outcome.EVALUATION_ERROR
    TLC_MODULE_OVERFLOW = 2178, "a number overflows", Outcome.EVALUATION_ERROR
    TLC_MODULE_DIVISION_BY_ZERO = 2179, "a division by zero", Outcome.EVALUATION_ERROR
    TLC_MODULE_NULL_POWER_NULL = 2180, "zero to the power of zero", Outcome.EVALUATION_ERROR
    TLC_MODULE_COMPUTING_CARDINALITY = 2181, "a cardinality that cannot be computed", Outcome.EVALUATION_ERROR
    TLC_MODULE_EVALUATING = 2182, "an operator cannot be evaluated", Outcome.EVALUATION_ERROR
    TLC_MODULE_ARGUMENT_NOT_IN_DOMAIN = 2183, "an argument outside the domain", Outcome.EVALUATION_ERROR
    TLC_MODULE_APPLY_EMPTY_SEQ = (
        2184,
        "an operator of sequences applied to the empty one",
        Outcome.EVALUATION_ERROR,
    )
    TLC_LIVE_CANNOT_HANDLE_FORMULA = 2213, "a temporal formula that TLC cannot take", Outcome.EVALUATION_ERROR
    TLC_LIVE_WRONG_FORMULA_FORMAT = 2214, "an action where liveness takes none", Outcome.EVALUATION_ERROR
    TLC_EXPECTED_VALUE = 2215, "a value of another type is expected", Outcome.EVALUATION_ERROR
    TLC_CANT_HANDLE_SUBSCRIPT = 2238, "a subscript that TLC cannot take", Outcome.EVALUATION_ERROR
    TLC_CANT_HANDLE_REAL_NUMBERS = 2244, "real numbers", Outcome.EVALUATION_ERROR
    TLC_EXPECTED_EXPRESSION = 2246, "an expression of another kind is expected", Outcome.EVALUATION_ERROR
    TLC_EXPECTED_EXPRESSION_IN_COMPUTING = (
        2247,
        "an expression of another kind is expected in a computation",
        Outcome.EVALUATION_ERROR,
    )
    TLC_EXPECTED_EXPRESSION_IN_COMPUTING2 = (
        2248,
        "an expression of another kind is expected in a computation, without its value",
        Outcome.EVALUATION_ERROR,
    )
    TLC_LIVE_ENCOUNTERED_ACTIONS = 2249, "an action in a liveness formula", Outcome.EVALUATION_ERROR
    TLC_LIVE_STATE_PREDICATE_NON_BOOL = (
        2250,
        "a predicate of liveness is not Boolean",
        Outcome.EVALUATION_ERROR,
    )
    TLC_LIVE_CANNOT_EVAL_FORMULA = 2251, "a liveness formula cannot be evaluated", Outcome.EVALUATION_ERROR
    TLC_LIVE_ENCOUNTERED_NONBOOL_PREDICATE = (
        2252,
        "a formula of liveness is not Boolean",
        Outcome.EVALUATION_ERROR,
    )
    TLC_LIVE_FORMULA_TAUTOLOGY = 2253, "a property that every behaviour has", Outcome.EVALUATION_ERROR
    TLC_NO_STATES_SATISFYING_INIT_AND_CONSTRAINT = (
        2256,
        "no state satisfies the initial predicate and the constraint",
        Outcome.EVALUATION_ERROR,
    )
    TLC_INTEGER_TOO_BIG = 2265, "a number is too large", Outcome.EVALUATION_ERROR
    TLC_MODULE_ARGUMENT_ERROR_AN = 2266, "an argument of another type", Outcome.EVALUATION_ERROR
    TLC_MODULE_ONE_ARGUMENT_ERROR = 2283, "the argument of another type", Outcome.EVALUATION_ERROR
    TLC_POSTCONDITION_EVALUATION_ERROR = 2405, "a POSTCONDITION cannot be evaluated", Outcome.EVALUATION_ERROR


_KNOWN: Final = {int(code): code for code in Code}

_OF_ERRORS: Final = (
    Outcome.OUT_OF_MEMORY,
    Outcome.STACK_OVERFLOW,
    Outcome.PARSE_ERROR,
    Outcome.CONFIG_ERROR,
    Outcome.EVALUATION_ERROR,
)
"""What errors come to, the first of them that one stands for: TLC reports a lack of memory as errors of the spec."""

_SIGNS: Final = {
    Outcome.OUT_OF_MEMORY: ("OutOfMemoryError", "Java heap space", "GC overhead limit exceeded"),
    Outcome.STACK_OVERFLOW: ("StackOverflowError",),
    Outcome.EVALUATION_ERROR: ("Attempted to ", "current state is not a legal state"),
}
"""How Java tells of it in its own words, and TLC of an expression without a value while it looks at behaviours."""

_OF_THE_MACHINE: Final = (
    "No space left on device",
    "Disk quota exceeded",
    "Read-only file system",
    "Too many open files",
    "Input/output error",
)
"""The system's words for what is no fault of a spec: TLC copies its own modules to a directory before it parses them,
and what it could not copy it cannot parse."""

_FILE_FAILED: Final = re.compile(r"java\.(?:io|nio\.file)\.\w+Exception\b")
"""What begins Java's account of a file that could not be read or written, for whatever reason."""


def is_error(message: Message) -> bool:
    """Whether ``message`` reports that something went wrong."""
    return message.kind in {ERROR, BUG}


def violation_outcome(message: Message) -> Outcome | None:
    """Return which violation ``message`` reports, or ``None`` if it reports none."""
    outcome = _outcome(message.code)
    return outcome if outcome is not None and outcome.is_violation else None


def error_outcome(codes: Iterable[int], texts: Iterable[str]) -> Outcome | None:
    """Return what the errors of one run come to: their ``codes``, and the ``texts`` that report them.

    ``None`` if there are no codes and the texts tell of no failure of the Java machine or of the one that it runs on.
    """
    found = frozenset(codes)
    text = "\n".join(texts)
    if trouble_of_machine(text):
        return Outcome.TOOL_ERROR
    outcomes = {_outcome(code) for code in found}
    for outcome in _OF_ERRORS:
        if outcome in outcomes or any(sign in text for sign in _SIGNS.get(outcome, ())):
            return outcome
    return Outcome.TOOL_ERROR if found else None


def trouble_of_machine(text: str) -> str | None:
    """Return the first line of ``text`` that tells of a full disk, a file that could not be written or the like."""
    if not any(sign in text for sign in (*_OF_THE_MACHINE, "java.")):
        return None
    return next((line.strip() for line in text.splitlines() if _of_the_machine(line)), None)


def _of_the_machine(line: str) -> bool:
    return bool(_FILE_FAILED.match(line)) or any(sign in line for sign in _OF_THE_MACHINE)


def _outcome(code: int) -> Outcome | None:
    known = _KNOWN.get(code)
    return known.outcome if known else None
