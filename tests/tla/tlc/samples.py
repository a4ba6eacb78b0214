"""Recorded output of two builds of TLC, and what each recording must come to."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pyharness.tla.tlc import MessageReader, Outcome
from pyharness.tla.tlc.digest import Digest

HERE = Path(__file__).parent / "samples"
BUILDS = ("2.15", "modern")


class Case(NamedTuple):
    build: str
    name: str
    status: int
    outcome: Outcome
    violated: str | None = None
    steps: int | None = None  # of the trace; None: no trace


O = Outcome
# name, exit status and outcome of both builds, name of the property, length of the trace in 2.15 and in modern
_BOTH = [
    ("success", 0, O.SUCCESS),
    ("success_coverage", 0, O.SUCCESS),
    ("print", 0, O.SUCCESS),
    ("dump_plain", 0, O.SUCCESS),
    ("dump_dot_ok", 0, O.SUCCESS),
    ("simulate_num_file", 0, O.SUCCESS),
    ("dfid", 0, O.INCOMPLETE),
    ("sigterm", 143, O.INCOMPLETE),
    ("invariant", 12, O.INVARIANT, "Small", 4),
    ("invariant_difftrace", 12, O.INVARIANT, "Small", 4),
    ("invariant_continue", 0, O.INVARIANT, "Small", 4),
    ("invariant_initial", 12, O.INVARIANT, "Inv", 1),
    ("simulate_invariant", 12, O.INVARIANT, "Small", 4),
    ("value_zoo_invariant", 12, O.INVARIANT, "Inv", 4),
    ("dump_dot", 12, O.INVARIANT, "Inv", 4),
    ("action_property", 13, O.ACTION_PROPERTY, "Mono", 5),
    ("deadlock", 11, O.DEADLOCK, None, 3),
    ("assume_false", 10, O.ASSUMPTION),
    ("parse_error", 150, O.PARSE_ERROR),
    ("semantic_error", 150, O.PARSE_ERROR),
    ("missing_module", 150, O.PARSE_ERROR),
    ("spec_missing_file", 150, O.PARSE_ERROR),
    ("config_unknown_invariant", 151, O.CONFIG_ERROR),
    ("config_bad_keyword", 151, O.CONFIG_ERROR),
    ("config_missing_init", 151, O.CONFIG_ERROR),
    ("config_missing_file", 255, O.CONFIG_ERROR),
    ("eval_error_invariant", 76, O.EVALUATION_ERROR, None, 4),
    ("successor_incomplete", 75, O.EVALUATION_ERROR, None, 2),
    ("bad_option", 1, O.TOOL_ERROR),
]
_OLD = [
    ("generateSpecTE", -9, O.INVARIANT, "Small", 4),
    ("temporal_lasso", 13, O.TEMPORAL, None, 8),
    ("temporal_stuttering", 13, O.TEMPORAL, None, 3),
    ("config_check_deadlock", 255, O.CONFIG_ERROR),
    ("assert_failed", 75, O.ASSERTION),
    ("eval_error_next", 75, O.EVALUATION_ERROR),
    ("set_too_large", 75, O.EVALUATION_ERROR),
    ("out_of_memory", 75, O.OUT_OF_MEMORY),
    ("stack_overflow", 75, O.STACK_OVERFLOW),
    ("tmpdir_race_rc150", 150, O.PARSE_ERROR),
]
_NEW = [
    ("generateSpecTE", 12, O.INVARIANT, "Small", 4),
    ("temporal_lasso", 13, O.TEMPORAL, "Live", 8),
    ("temporal_stuttering", 13, O.TEMPORAL, "Live", 3),
    ("config_check_deadlock", 0, O.SUCCESS),
    ("assert_failed", 14, O.ASSERTION, None, 4),
    ("eval_error_next", 255, O.EVALUATION_ERROR, None, 3),
    ("set_too_large", 75, O.EVALUATION_ERROR, None, 1),
    ("out_of_memory", 255, O.OUT_OF_MEMORY),
    ("stack_overflow", 255, O.STACK_OVERFLOW, None, 1),
    ("alias", 12, O.INVARIANT, "Small", 4),
    ("postcondition_ok", 0, O.SUCCESS),
    ("postcondition_json", 0, O.SUCCESS),
    ("postcondition_false", 10, O.POSTCONDITION, "PostBad"),
    ("tlcext_trace_json", 12, O.INVARIANT, "TraceJson", 4),
    ("cli_inv", 12, O.INVARIANT, "__DebuggerExpr__1795231848075", 3),
    ("cli_invlevel", 12, O.INVARIANT, "__DebuggerExpr__1795231990584", 5),
    ("loadTrace", 0, O.SUCCESS),
    ("workers_auto", 0, O.SUCCESS),
    ("dumptrace_tla_needs_communitymodules", 150, O.PARSE_ERROR),
]
CASES = [
    *(Case("2.15", *row) for row in _BOTH + _OLD),
    *(Case("modern", *row) for row in _BOTH + _NEW),
]
IDS = [f"{case.build}-{case.name}" for case in CASES]


def path(build, name):
    return HERE / build / name


def output(build, name):
    return path(build, f"{name}.stdout").read_text(encoding="utf-8")


def result(text, status, **facts):
    """Read ``text`` as the output of a run that ended with ``status``."""
    reader, digest = MessageReader(), Digest()
    for message in reader.read(text.splitlines(keepends=True)):
        digest.add(message)
    return digest.result(status, intact=reader.intact, output=reader.outside, **facts)
