"""The committed lists of proofs: all obligations, what needs what, and what may be claimed of the proofs."""

from __future__ import annotations

from functools import cache

from pyharness.base.toolchain.spec_files import SPECS


@cache
def _lines(name: str) -> tuple[str, ...]:
    return tuple((SPECS / "proofs" / name).read_text(encoding="utf-8").splitlines())


def expected() -> list[str]:
    """Return everything that is to be proved: ``subject/obligation``."""
    return list(_lines("expected.txt"))


def needs() -> dict[tuple[str, str], str]:
    """Return for each module and conjunct or assumption an obligation that fails without it, ``-`` if none does.

    A conjunct that no other one needs is shown for its own sake.
    """
    rows = [line.split() for line in _lines("needed.txt")]
    return {(module, name): by for module, name, by in rows}


def noticed() -> list[str]:
    """Return what each goal notices: a :class:`~pyharness.prove.goal_notices.Notice` in each line."""
    return list(_lines("noticed.txt"))


def held() -> list[tuple[str, str, int, int, int, int]]:
    """Return the models on which the formulas were compared with TLC: name, module, graphs, states and steps.

    The last number is that of the graphs on which the proof's assumptions hold: there its invariant was asked for.
    """
    rows = [line.split() for line in _lines("held_against_tlc.txt")]
    return [
        (model, module, int(graphs), int(states), int(steps), int(asked))
        for model, module, graphs, states, steps, asked in rows
    ]


def label() -> str:
    """Return in words what the proofs establish, and no more."""
    proved = [line for line in expected() if not {"Possible", "Needed"} & set(line.split("/"))]
    rows = held()
    graphs, states, steps = sum(r[2] for r in rows), sum(r[3] for r in rows), sum(r[4] for r in rows)
    return (
        f"for every graph and application, by some of {len(proved):,} first-order obligations (cvc5, z3); that they "
        f"are the TLA+ module is checked on {graphs} graphs, {states:,} states, {steps:,} steps, not proved; on paper: "
        "induction over behaviours, positions for sequences, fairness, an order for numbers of ids, "
        "a law that allows duplicates"
    )


def obligations_of(name: str) -> list[str]:
    """Return the obligations that are proved for ``Subject.Obligation``: that one, or all of its steps."""
    subject, _, obligation = name.partition(".")
    full = f"{subject}/{obligation}"
    found = [line for line in expected() if line == full or line.startswith(f"{full}/")]
    return [line for line in found if "Possible" not in line.split("/")]
