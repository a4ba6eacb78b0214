"""Schedules and traces are one thing: what is written down step by step is exported, replayed and reordered."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from pyharness import read_trace
from pyharness.base.toolchain.spec_files import ROOT, SPECS
from pyharness.cli.main import cli
from pyharness.machines.replay import replay
from pyharness.machines.replay.worked_examples import example_names, load_example
from pyharness.models.trace_system import read_behaviour, system_for
from pyharness.tla.tlc.itf import from_itf, to_itf
from pyharness.tla.tlc.trace import Trace, TraceStep
from pyharness.tla.values import Fn

EXAMPLES = SPECS / "examples"


def run(*args):
    return CliRunner().invoke(cli, list(map(str, args)))


@pytest.mark.parametrize("name", example_names())
def test_every_example_is_a_trace_that_can_be_replayed(name, tmp_path):
    trace, meta = read_behaviour(EXAMPLES / f"{name}.toml")
    schedule = load_example(name)
    taken = (schedule.rejected_at - 1) if schedule.rejected_at else len(schedule.steps)
    assert len(trace) == taken + 1
    said = [(step.action, step.arguments or "") for step in trace.steps[1:]]
    assert said == [(step.action, step.detail) for step in schedule.steps[:taken]]
    assert ("refused" in meta) == (schedule.rejected_at is not None)
    again, said = from_itf(to_itf(trace, meta))  # the file says all that is needed
    assert replay(again, system_for(again, said)).agreed
    file = tmp_path / "own.itf.json"
    file.write_text(to_itf(trace, meta), encoding="utf-8")
    assert run("trace", "replay", file).exit_code == 0


def test_a_schedule_of_ones_own_is_exported_and_reordered(tmp_path):
    text = (EXAMPLES / "nondeterministic.toml").read_text(encoding="utf-8")
    own = tmp_path / "mine.toml"
    own.write_text(text.replace('"nondeterministic"', '"mine"'), encoding="utf-8")
    page = run("trace", "export", own, "--to", "html")
    assert page.exit_code == 0
    assert "<svg" in page.stdout
    result = run("trace", "reorder", own, "--no-tlc")
    assert result.exit_code == 0
    assert "which never occurred" in result.stdout
    assert read_trace(own).replay().agreed


def test_a_schedule_that_is_refused_unexpectedly_is_no_trace(tmp_path):
    text = (EXAMPLES / "four-channels.toml").read_text(encoding="utf-8")
    own = tmp_path / "mine.toml"
    own.write_text(text.replace('"AcceptMarker C12"', '"AcceptMarker C21"', 1), encoding="utf-8")
    result = run("trace", "export", own, "--to", "text")
    assert result.exit_code == 2
    assert "is refused; enabled:" in result.stderr


def test_a_trace_of_any_application_is_replayed_when_one_says_which(tmp_path):
    path = ROOT / "traces" / "NoBlocking.itf.json"
    trace, meta = read_behaviour(path)
    bare = tmp_path / "bare.itf.json"
    bare.write_text(to_itf(trace), encoding="utf-8")
    mutant = f"{meta['spec']}:NoBlocking"
    refused = run("trace", "replay", bare, "--protocol", mutant)
    assert refused.exit_code == 2
    assert "--application" in refused.stderr
    records = f"Records={meta['constants']['Records']}"
    taken = run(
        "trace", "replay", bare, "--protocol", mutant, "--application", "Dataflow", "--constant", records
    )
    assert taken.exit_code == 0, taken.stderr
    assert run("trace", "replay", bare, "--protocol", mutant, "--constant", "Records").exit_code == 2


def test_a_loop_is_believed_only_if_the_last_state_steps_back():
    trace, meta = read_behaviour(EXAMPLES / "four-channels.toml")
    text = json.loads(to_itf(trace, meta))
    text["loop"] = 2
    looped, said = from_itf(json.dumps(text))
    found = replay(looped, system_for(looped, said))
    assert not found.agreed
    assert found.divergence.step == len(trace) + 1


def test_a_real_loop_is_believed():
    """Items that move on a ring come round: to accept and to send is a loop, once the snapshot is over."""
    trace, meta = read_behaviour(EXAMPLES / "single-token.toml")
    system = system_for(trace, meta)
    path = list(replay(trace, system).path)
    while path[-1] not in path[:-1] and len(path) < 50:
        path.append(next(iter(system.actions(path[-1]))).after)
    start = path.index(path[-1])
    steps = tuple(TraceStep(None, Fn(system.variables(state).items())) for state in path[:-1])
    looped = Trace(steps, lasso=start if start < len(steps) - 1 else None)
    assert looped.lasso is not None
    assert replay(looped, system).agreed


@pytest.mark.parametrize("escape", ["\\ud800", "\\udfff", "\\ud800x"])
def test_a_lone_surrogate_is_refused(escape, tmp_path):
    trace, meta = read_behaviour(EXAMPLES / "four-channels.toml")
    file = tmp_path / "odd.itf.json"
    file.write_text(to_itf(trace, {**meta, "title": "odd"}).replace('"odd"', f'"{escape}"'), encoding="utf-8")
    result = run("trace", "export", file, "--to", "text")
    assert result.exit_code == 2
    assert "lone surrogate" in result.stderr
