"""``pyharness trace replay`` of what somebody wrote by hand: each mistake is named with its file, and none is a traceback."""

from __future__ import annotations

import json
from itertools import product

import pytest

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.machines.systems import APPLICATIONS, PROTOCOLS
from tests.command import run
from tests.each_case import each_case


def replay(path, *options):
    return run("trace", "replay", path, *options)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"topo": "mine"}, "'mine' is not the id of a topology"),
        ({"topo": 1}, "variable topo: the trace names no topology\n  its states name their graph"),
        ({"more": 1}, "differ in their variables: only the trace has more\n  is it a trace of another spec?"),
    ],
)
def test_a_mistake_is_named_with_the_file(tmp_path, change, said):
    document = json.loads((ROOT / "traces" / "LateTurn.itf.json").read_text(encoding="utf-8"))
    for state in document["states"]:
        state.update(change)
    path = tmp_path / "mine.itf.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    result = replay(path, "--protocol", "ChandyLamport")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"pyharness: {path}")
    assert said in result.stderr


NAMES = ["LateTurn", "kuper", "checkpoints-at-least-once-duplicates"]


@each_case("name, application, protocol", product(NAMES, [None, *APPLICATIONS], PROTOCOLS))
def test_a_trace_of_another_spec_is_refused_and_never_a_bug_of_ours(name, protocol, application):
    said = ["--application", application] if application else []
    result = replay(ROOT / "traces" / f"{name}.itf.json", "--protocol", protocol, *said)
    assert result.exit_code in {0, 1, 2}, result.output


def test_checkpoints_of_what_is_no_dataflow_say_so():
    result = replay(ROOT / "traces" / "LateTurn.itf.json", "--protocol", "Checkpoints")
    assert result.exit_code == 2
    assert "Checkpoints is about a dataflow" in result.stderr


def test_a_name_of_a_trace_and_its_page_lead_to_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "traces").mkdir()
    for name in ("traces/LateTurn.itf.json", "mine.itf.json"):
        (tmp_path / name).write_bytes((ROOT / "traces" / "LateTurn.itf.json").read_bytes())
    (tmp_path / "mine.html").write_text("<p>a page</p>")
    for name, near in (("LateTurn", "traces/LateTurn.itf.json"), ("mine.html", "mine.itf.json")):
        result = run("trace", "export", name, "--to", "svg")
        assert result.exit_code == 2
        assert f"did you mean {near}?" in result.stderr
    assert "did you mean" not in run("trace", "export", "nope", "--to", "svg").stderr
