"""``import pyharness``, as a notebook uses it."""

from __future__ import annotations

import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

import pyharness
from pyharness.base.errors import SpecError
from pyharness.base.toolchain.spec_files import ROOT
from pyharness.cli import library
from pyharness.cli.library.notebook_trace import ENDINGS
from pyharness.hold.conformance.comparison import Conformance
from pyharness.models.spec_check import CheckedSpec
from pyharness.models.verdicts import Verdict
from pyharness.tla.tlc import Trace as Behaviour
from pyharness.tla.tlc import TraceStep
from pyharness.tla.values import Fn

LATE_TURN = ROOT / "traces" / "LateTurn.itf.json"


def loaded_after(code):
    """The modules that a new interpreter has after running ``code``."""
    code += "\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_package_offers_what_the_library_has_and_no_more():
    assert pyharness.__all__ == library.__all__ == sorted(library.__all__, key=lambda n: (n[0].islower(), n))
    assert set(pyharness.__all__) <= set(dir(pyharness))
    for name in pyharness.__all__:
        assert getattr(pyharness, name) is getattr(library, name)
    with pytest.raises(AttributeError, match="nothing"):
        _ = pyharness.nothing


@pytest.mark.parametrize("verdict", Verdict)
def test_a_check_is_true_only_if_it_found_no_violation(verdict):
    """`assert pyharness.check(...)` in somebody's tests must not hold of whatever was found."""
    found = pyharness.Check("Own", None, CheckedSpec(verdict, "", None, None))
    assert bool(found) == (verdict is Verdict.PASS) == (found.verdict == "no violation")


@pytest.mark.parametrize(("transitions", "mismatches"), [(3, 0), (3, 1), (0, 0)])
def test_a_comparison_is_true_only_if_it_compared_something_and_all_agreed(transitions, mismatches):
    found = Conformance("tiny", "WhiteRed", 2, transitions, mismatches, (), 1.0, 1.0)
    assert bool(found) == (transitions > mismatches == 0)


def test_import_is_quick_and_a_check_needs_neither_spark_nor_pandas():
    assert not loaded_after("import pyharness") & {
        "pyharness.cli.library",
        "lark",
        "igraph",
        "pyspark",
        "pandas",
    }
    assert not loaded_after("import pyharness; pyharness.check") & {"pyspark", "pandas", "click"}


def test_topologies_are_those_of_a_plans_table():
    assert [t.id for t in pyharness.topologies(2)] == ["n2-6-i1"]
    assert len(pyharness.topologies(3, rooted=False)) == 5
    frame = pyharness.to_pandas(pyharness.topologies([2, 3]))
    assert list(frame.columns) == ["id", "processes", "channels", "initiators"]
    assert frame["processes"].tolist() == [2] + 10 * [3]
    with pytest.raises(SpecError, match="conected"):
        pyharness.topologies(3, conected="any")


def test_a_trace_is_read_replayed_written_and_read_again(tmp_path):
    trace = pyharness.read_trace(LATE_TURN)
    assert (len(trace), trace.violated, trace.topology.id) == (5, "NoRedInWhite", "n2-6-i1")
    own, correct = trace.replay(), trace.replay("ChandyLamport")
    assert own
    assert not correct
    assert own.violated_at["NoRedInWhite"] == 5
    assert correct.divergence.step == 4
    for ending, name in ENDINGS.items():
        path, want = tmp_path / f"trace{ending}", trace.to(name)
        trace.save(path)
        assert path.read_bytes() == (want if isinstance(want, bytes) else want.encode())
    assert pyharness.read_trace(tmp_path / "trace.itf.json") == trace
    assert trace.to_itf() == LATE_TURN.read_text(encoding="utf-8")


def test_a_trace_as_a_data_frame_has_a_row_for_each_state():
    frame = pyharness.read_trace(LATE_TURN).to_pandas()
    assert frame["action"].tolist() == ["Init", "Initiate", "Send", "AcceptMarker", "Accept"]
    assert frame["step"].tolist() == [1, 2, 3, 4, 5]
    assert frame["state"][4] == "<<{}, {1, 2}>>"


def test_a_trace_is_reordered_and_the_result_is_a_trace():
    found = pyharness.read_trace(ROOT / "traces" / "nondeterministic.itf.json").reorder()
    assert (found.swaps, found.occurred, len(found.trace)) == (1, False, 4)
    assert "swap 1: P2 Send C21 M' comes before P1 Send C12 M" in found.to_text()
    assert found.to_text().splitlines()[0] in found._repr_html_()
    assert found._repr_html_().startswith("<svg")
    with pytest.raises(SpecError):
        pyharness.read_trace(LATE_TURN).reorder("ChandyLamport:LateTurn:Nothing")


def test_a_notebook_shows_a_trace_as_its_diagram():
    picture = ET.fromstring(pyharness.read_trace(LATE_TURN)._repr_html_())  # noqa: S314 - ours
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    assert "NoRedInWhite is violated" in "".join(picture.itertext())


def test_hostile_text_is_shown_as_text():
    hostile = "<script>alert('x')</script>"
    trace = library.Trace(Behaviour((TraceStep(None, Fn({"x": hostile}.items())),)), {"title": hostile})
    assert "<script" not in trace._repr_html_()
    assert hostile in trace.to_text()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pyharness.read_trace(ROOT / "nothing"), "cannot be read"),
        (lambda: pyharness.read_trace(ROOT / "LICENSE"), "no trace in a format"),
        (lambda: pyharness.read_trace(LATE_TURN).save("trace.doc"), "format"),
        (lambda: pyharness.read_trace(LATE_TURN).to("doc"), "no format 'doc'"),
        (lambda: pyharness.read_trace(LATE_TURN).save(ROOT / "nothing" / "t.txt"), "cannot be written"),
        (lambda: pyharness.check("Nothing"), "no spec 'Nothing'"),
        (lambda: pyharness.check("ChandyLamport", mutant="NoGuard"), "LateTurn"),
        (lambda: pyharness.check("ChandyLamport", properties=["Misspelt"]), "Misspelt"),
        (lambda: pyharness.check("ChandyLamport", properties=[]), "nothing"),
        (lambda: pyharness.check("ChandyLamport", items=0), "1 to 9"),
        (lambda: pyharness.check("ChandyLamport", topology=[]), "nothing would be checked"),
        (lambda: pyharness.check("ChandyLamport", topology="n2"), "n2"),
        (lambda: pyharness.check("ChandyLamport", constants={"Records": 1}), "Records"),
        (lambda: pyharness.check("AlignedBarriers", items=2), "Records"),
        (lambda: pyharness.check("ChandyLamport", seconds=0), "from 1 on"),
        (lambda: pyharness.read_table("verdict"), "did you mean verdicts"),
        (lambda: pyharness.read_table("verdicts", ROOT / "nothing"), "pyharness check"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(call, message):
    with pytest.raises(SpecError, match=message):
        call()


def test_without_pandas_one_is_told_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SpecError, match="pip install pandas"):
        pyharness.read_trace(LATE_TURN).to_pandas()
