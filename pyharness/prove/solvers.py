"""The two solvers. Each is given the very text that ``--out`` writes, and nothing else."""

from __future__ import annotations

import importlib.metadata
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from pyharness.base.errors import IncompleteError, SpecError
from pyharness.base.toolchain.machine_size import cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Verdict = Literal["sat", "unsat", "unknown"]


class Answer(NamedTuple):
    """The answer of a solver, and the CPU seconds it took."""

    verdict: Verdict
    seconds: float


def _z3(script: str, seconds: float) -> str:
    z3 = import_module("z3")
    context = z3.Context()
    # With quantifiers pulled out of others, what took 15 s takes 0.1 s, where a conjunct states that something exists.
    options = f"(set-option :timeout {int(seconds * 1000)})(set-option :smt.pull_nested_quantifiers true)"
    try:
        return str(z3.Z3_eval_smtlib2_string(context.ref(), f"{options}\n{script}"))
    except z3.Z3Exception as error:  # the answers so far, and then its complaint
        return error.value.decode() if isinstance(error.value, bytes) else str(error)


def _cvc5(script: str, seconds: float) -> str:
    cvc5 = import_module("cvc5")
    manager = cvc5.TermManager()
    solver, symbols = cvc5.Solver(manager), cvc5.SymbolManager(manager)
    solver.setOption("tlimit-per", str(int(seconds * 1000)))
    solver.setOption("incremental", "true")
    solver.setOption("enum-inst", "true")
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "obligation")
    answers = []
    while not (command := parser.nextCommand()).isNull():
        answers.append(str(command.invoke(solver, symbols)))
    return "".join(answers)


PACKAGES: Final = {"cvc5": "cvc5", "z3": "z3-solver"}
"""The name of each solver's package."""

LOCKED: Final = {"cvc5": "1.4.2", "z3": "5.4.0.0"}
"""The versions that requirements/prove.txt locks; a proof by another one names it."""

SOLVERS: Final[dict[str, Callable[[str, float], str]]] = {"cvc5": _cvc5, "z3": _z3}


def version(solver: str) -> str:
    """Return the version of a solver. Raises SpecError when it is not installed."""
    try:
        import_module(solver)
        return importlib.metadata.version(PACKAGES[solver])
    except (ImportError, importlib.metadata.PackageNotFoundError) as error:
        raise SpecError(
            f"the solver {solver} is not installed",
            hint="run `make prove`, or pip install cvc5 z3-solver",
        ) from error


@contextmanager
def processes(workers: int | None = None) -> Iterator[ProcessPoolExecutor]:
    """Give processes that ask solvers, by default one a core. Raises IncompleteError when one of them dies."""
    try:
        with ProcessPoolExecutor(max_workers=workers or cores(), mp_context=get_context("spawn")) as pool:
            yield pool
    except BrokenProcessPool as error:
        raise IncompleteError("a solver's process died", hint="see whether there is enough memory") from error


_FINDING: Final = {"cvc5": "(set-option :finite-model-find true)\n"}
"""The options of a solver that would else look for proofs alone."""


def ask(solver: str, script: str, seconds: float, *, finding: bool = False) -> Answer:
    """Ask a solver about a script, with ``seconds`` for each question. An answer other than sat and unsat is unknown.

    With ``finding`` it looks for a model, too.

    An answer is unsat when every question of the script was answered so, and sat when all were answered, one so.
    """
    begun = time.process_time()
    try:
        answers = SOLVERS[solver](_FINDING.get(solver, "") * finding + script, seconds).split()
    except Exception:  # noqa: BLE001 - a solver that fails in any way has proved nothing
        return Answer("unknown", time.process_time() - begun)
    asked = script.count("(check-sat)")
    complete = len(answers) == asked > 0
    verdict: Verdict = (
        "unsat"
        if complete and set(answers) == {"unsat"}
        else "sat"
        if complete and "sat" in answers
        else "unknown"
    )
    return Answer(verdict, time.process_time() - begun)
