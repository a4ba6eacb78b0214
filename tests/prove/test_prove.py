"""The proof itself: it goes through, and it does not when a rule, an assumption or a conjunct is missing."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from pyharness.base.errors import IncompleteError
from pyharness.cli.prove_command import prove as command
from pyharness.prove import proving, solvers
from pyharness.prove.counterexample import behaviour, text
from pyharness.prove.logic import ABOVE, equal, every, smtlib
from pyharness.prove.modules.application_proof import Application
from pyharness.prove.modules.chandy_lamport_proof import ChandyLamport
from pyharness.prove.obligations import assumed_together, obligations
from pyharness.prove.proof_catalogue import system
from pyharness.prove.proving import canaries
from pyharness.prove.refutation import changed, refute
from pyharness.prove.solvers import LOCKED, Answer, ask
from tests.long import LONG, some

pytest.importorskip("cvc5")
pytest.importorskip("z3")


def run(*arguments):
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_both_solvers_prove_the_colouring(tmp_path):
    result = run("WhiteRed", "--json", "--out", str(tmp_path))
    document = json.loads(result.stdout)
    assert result.exit_code == 0
    assert document["ok"]
    assert set(document["solvers"]) == {"cvc5", "z3"}
    assert document["counts"]["proved"] == 80
    assert all(
        set(o["solvers"]) == {"cvc5", "z3"} for o in document["obligations"] if o["status"] == "proved"
    )
    assert document["claims"]["E7"]["proved"] > 5
    written = sorted(tmp_path.rglob("*.smt2"))
    assert len(written) == len(document["obligations"])
    assert "(check-sat)" in written[0].read_text(encoding="utf-8")


def test_an_obligation_that_is_not_there_is_no_proof(monkeypatch):
    monkeypatch.setattr(proving, "expected", lambda: ["Stable/Possible", "Stable/Gone"])
    monkeypatch.setattr(proving, "needs", dict)
    result = run("Stable")
    assert result.exit_code == 3
    assert "missing: Stable/Gone: is not there" in result.output
    assert "not proved" in result.output


def _answers(monkeypatch, verdict, of_false="sat"):
    """Let all solvers say this, and of false goals something else."""

    class Pool:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def submit(self, asked, names, *_):
            said = of_false if asked is proving._doubt else verdict
            return type("Done", (), {"result": lambda self: dict.fromkeys(names, Answer(said, 0.0))})()

    monkeypatch.setattr(proving, "processes", lambda _: Pool())


def test_a_solver_that_does_not_know_is_no_proof(monkeypatch):
    _answers(monkeypatch, "unknown")
    monkeypatch.setattr(proving, "smallest", lambda formula, solver: None)
    result = run("Stable")
    assert result.exit_code == 3
    assert ": unknown" in result.output


def test_a_possibility_that_was_not_seen_is_no_proof(monkeypatch):
    _answers(monkeypatch, "unsat")
    monkeypatch.setattr(proving, "smallest", lambda formula, solver: None)
    assert run("Stable").exit_code == 3


def test_a_possibility_that_a_solver_finds_impossible_is_no_proof(monkeypatch):
    """A solver that says unsat to everything, or is asked what contradicts itself, proves everything."""
    (seen,) = (o for o in proving.subject("Stable") if o.name == "Possible")
    structure = proving.smallest(seen.formula)
    _answers(monkeypatch, "unsat")
    monkeypatch.setattr(proving, "smallest", lambda formula, solver: structure)
    result = run("Stable")
    assert result.exit_code == 3
    assert "refuted: Stable/Possible cvc5: unsat, z3: unsat" in result.output


@pytest.mark.parametrize("answer", ["unsat", "unknown"])
def test_a_solver_that_does_not_find_a_false_goal_false_proves_nothing(monkeypatch, answer):
    """One that answers unsat to goals, and unknown to the rest, is right about each possibility."""
    _answers(monkeypatch, "unsat", of_false=answer)
    found = [o for o in proving.subject("Stable") if o.goal is not None]
    with pytest.raises(IncompleteError, match=f"answers {answer} to a goal that is false"):
        proving.prove(found, ["cvc5", "z3"])
    _answers(monkeypatch, "unsat")
    assert all(proved.ok for proved in proving.prove(found, ["cvc5", "z3"]))


@pytest.mark.parametrize("name", ["WhiteRed", "TimeoutBarriers", "SnapshotEnds"])
def test_canaries_have_the_words_of_what_is_proved_and_both_solvers_know(name):
    found = proving.subject(name)
    false, room, own_false, own_room = canaries(found)
    assert {false.module, room.module} == {"WhiteRed"}
    (true,) = [o for o in found if f"False/{o.name}" == own_false.name]
    assert list(own_false.hypotheses) == list(true.hypotheses)
    assert set(true.hypotheses) < set(own_room.hypotheses)
    for solver in solvers.SOLVERS:
        assert ask(solver, true.smtlib(), 20).verdict == "unsat"
        assert {ask(solver, o.smtlib(), 20, finding=True).verdict for o in (false, room, own_false)} == {
            "sat"
        }
        assert ask(solver, own_room.smtlib(), 20, finding=True).verdict != "unsat"


SMALL = {
    "at most two positions": every(lambda i, j, k: equal(i, j) | equal(j, k) | equal(i, k)),
    "no three in a row": every(lambda i, j, k: ~(ABOVE(i, j) & ABOVE(j, k))),
}


@pytest.mark.parametrize("axiom", SMALL)
def test_an_order_that_leaves_room_for_few_positions_proves_nothing(monkeypatch, axiom):
    monkeypatch.setitem(smtlib.ORDER, axiom, SMALL[axiom])
    (room,) = [
        o for o in canaries(proving.subject("Stable")) if (o.module, o.name[:5]) == ("WhiteRed", "Room/")
    ]
    answers = {name: ask(name, room.smtlib(), 20, finding=True) for name in solvers.SOLVERS}
    with pytest.raises(IncompleteError, match="to that there are five of everything"):
        proving._require_doubt(room, answers)


def test_what_is_proved_from_what_contradicts_itself_is_asked_for():
    class Never(ChandyLamport):
        def initial(self, s):
            return super().initial(s) & every(lambda p: s.red(p))

    begins = [o for o in obligations(Never(Application())) if o.name.endswith("/Init")]
    assert all(ask("cvc5", o.smtlib(), 5).verdict == "unsat" for o in begins)
    (together,) = assumed_together(begins)
    assert together.name == "Possible/SentBeforeAccepted/Init"
    assert {ask(name, together.smtlib(), 5).verdict for name in solvers.SOLVERS} == {"unsat"}


def test_without_a_solver_it_says_what_to_install(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(solvers, "import_module", absent)
    from pyharness.cli.main import cli

    result = CliRunner().invoke(cli, ["prove", "Stable"])
    assert result.exit_code == 2
    assert "make prove" in result.output


@LONG  # a page has this command with its output, too, which tests/docs runs
def test_without_an_assumption_the_failing_obligation_is_named_with_a_small_counterexample():
    result = run("AlignedBarriers", "--leave-out", "InitiatorsHaveNoInputs")
    assert result.exit_code == 1
    assert "AlignedBarriers: RedHasAligned/Initiate fails" in result.output
    assert " Initiate(1)" in result.output


def test_without_a_conjunct_the_failing_obligations_are_named():
    result = run("WhiteRed", "--leave-out", "ColourDiscipline")
    assert result.exit_code == 1
    assert "WhiteRed: WhiteBeforeRed/Send fails" in result.output


def test_what_cannot_be_left_out_is_said():
    from pyharness.cli.main import cli

    result = CliRunner().invoke(cli, ["prove", "WhiteRed", "--leave-out", "Nonsense"])
    assert result.exit_code == 2
    assert "there are: SentBeforeAccepted" in result.output


def test_late_turn_is_refuted_by_the_state_that_everybody_draws():
    found = refute("ChandyLamport", "LateTurn", ["cvc5"])
    assert found.ok
    assert found.obligation.name == "ClosedIsFinal/AcceptMarker"
    before, after = (step.state for step in behaviour(found.obligation, found.structure).steps)
    ((channel, (marker,)),) = before.get("chan").items()
    assert channel in {(1, 2), (2, 1)}
    assert marker.get("control") == "marker"
    assert list(after.get("chan").items()) == [(channel, ())]
    assert before.get("recState") == after.get("recState")
    assert [process for process, _ in before.get("recState").items()] == [channel[0]]
    lines = text("LateTurn", behaviour(found.obligation, found.structure)).splitlines()
    assert lines[2].split() == ["a", "state", f"AcceptMarker(<<{channel[0]},", f"{channel[1]}>>)"]


def test_a_mutant_that_changes_nothing_has_nothing_to_refute():
    class Same(ChandyLamport):
        def turns_red(self, s, p, accepts_marker):
            return accepts_marker

    as_it_is = [o.smtlib() for o in obligations(system("ChandyLamport"))]
    assert [o.smtlib() for o in obligations(Same(Application()))] == as_it_is
    assert changed("ChandyLamport", "LateTurn")


@pytest.mark.parametrize("solver", some(["cvc5", "z3"], 1))
def test_a_proof_by_another_solver_than_the_locked_one_says_so(monkeypatch, solver):
    monkeypatch.setitem(LOCKED, solver, "0.1")
    said = run("Stable").output.splitlines()[-1]
    assert re.fullmatch(rf"proved \(with another solver than the locked one: {solver} [\d.]+\)", said)
