"""What is mechanised in Coq: its hypotheses are the obligations, nothing else is assumed, and each is needed."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.gate.plans.proof_lists import expected
from pyharness.prove import coq_obligations
from pyharness.prove.coq_obligations import coq_text, field_of
from pyharness.prove.modules.chandy_lamport_proof import ChandyLamport
from pyharness.prove.modules.white_red_proof import WhiteRed
from pyharness.prove.obligations import obligations
from pyharness.prove.solvers import ask
from pyharness.prove.theorems import snapshot_ends
from tests.long import some
from tests.prove import coq_statements

PROOFS = sorted((ROOT / "specs" / "coq").glob("*.v"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
ORDER = re.search(r"^COQ := (.*)$", MAKEFILE, re.MULTILINE)[1].split()
needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="coqc is missing: Debian's package is coq"
)


def fields(text):
    return re.findall(r"^  (\w+) :$", text, re.MULTILINE)


def compiles(folder, *names):
    """Compile some files in a folder; return what coqc complains of, or nothing."""
    for name in names:
        done = subprocess.run(
            ["coqc", "-Q", ".", "Snapshots", f"{name}.v"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            return done.stderr or "failed"
    return ""


@pytest.fixture
def folder(tmp_path):
    for path in PROOFS:
        shutil.copy(path, tmp_path)
    (tmp_path / "Obligations.v").write_text(coq_text(), encoding="utf-8")
    return tmp_path


def test_the_hypotheses_are_the_obligations_that_are_proved():
    """Each field of a record is an obligation that `pyharness prove` asks, and none of these modules is left out."""
    subjects = ("WhiteRed/", "ChandyLamport/", "SnapshotEnds/ChandyLamport/")
    asked = [
        line
        for line in expected()
        if line.startswith(subjects) and not {"Possible", "Needed"} & {*line.split("/")}
    ]
    assert len(asked) > 200
    assert fields(coq_text()) == [field_of(line) for line in asked]


@pytest.mark.parametrize("solver", some(["z3", "cvc5"], 1))
def test_a_hypothesis_is_proved_as_it_is_written_in_coq(solver):
    """There the state after a step has a name; all that is said of it is proved in that form, too."""
    pytest.importorskip(solver)
    modules = [coq_obligations.named(kind) for kind in (WhiteRed, ChandyLamport)]
    found = [o for module in modules for o in (*obligations(module), *snapshot_ends.of_module(module))]
    asked = [o for o in found if o.step is not None and o.goal is not None]
    assert len(asked) == 189
    assert [o.name for o in asked if ask(solver, o.smtlib(), 10).verdict != "unsat"] == []


def test_nothing_is_admitted():
    for path in PROOFS:
        text = re.sub(r"\(\*.*?\*\)", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(
            r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Unset Guard|Require Import Classical\w*)\b",
            text,
        ), path


def test_each_statement_is_the_pinned_one():
    """`python -m tests.prove.coq_statements` pins them anew, so that one with another premise is meant."""
    assert coq_statements.PINNED.read_text(encoding="utf-8") == coq_statements.text()
    assert len(coq_statements.digests()) > 60


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("Inv a ->", "Inv a -> False ->", True),
        ("  Hypothesis is_inv : True.", "  Hypothesis is_inv : False.", True),
        ("intros. assumption.", "auto.", False),
        ("(* a remark *)", "(* another *)", False),
    ],
)
def test_a_statement_has_its_premises_and_neither_proof_nor_remarks(old, new, changed):
    text = """(* a remark *) Section S.
  Hypothesis is_inv : True.
  Theorem holds : forall a, Inv a ->
    Inv a. Proof. intros. assumption. Qed."""
    assert old in text
    assert (coq_statements.stated(text) != coq_statements.stated(text.replace(old, new))) == changed


def test_every_file_is_compiled_and_every_theorem_asked_what_it_assumes():
    assert {path.stem for path in PROOFS} == {*ORDER, "Assumptions"} - {"Obligations"}
    asked = (ROOT / "specs" / "coq" / "Assumptions.v").read_text(encoding="utf-8")
    for path in PROOFS:
        for name in re.findall(r"^ *Theorem (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            assert f"Print Assumptions {name}." in asked


@pytest.mark.long
@needs_coq
@pytest.mark.slow
def test_the_proofs_of_behaviours_need_each_obligation(folder):
    assert not compiles(folder, *ORDER[:5])
    text = (folder / "Obligations.v").read_text(encoding="utf-8")
    without = re.sub(r"  WhiteRed_WhiteBeforeRed_Accept :\n.*?;\n", "", text, flags=re.DOTALL)
    assert without != text
    (folder / "Obligations.v").write_text(without, encoding="utf-8")
    assert "WhiteRed.v" in compiles(folder, "Obligations", "WhiteRed")
