"""Every recorded run comes out as what it was, and no part of one as a success."""

import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import BUILDS, CASES, HERE, IDS, output, result

from pyharness.base.toolchain import find_tla2tools
from pyharness.tla.tlc import EndedBy, Mode, Outcome
from pyharness.tla.tlc.codes import CODES, Code, error_outcome, trouble_of_machine, violation_outcome
from pyharness.tla.tlc.messages import ERROR, TlcMessage
from tests.each_case import each_case

SUCCESSES = [case for case in CASES if case.outcome is Outcome.SUCCESS]


def test_every_recording_has_a_case():
    recorded = {
        (p.parent.name, p.name.removesuffix(".stdout"))
        for build in BUILDS
        for p in HERE.glob(f"{build}/*.stdout")
    }
    assert recorded == {(case.build, case.name) for case in CASES}


@each_case("case", CASES)
def test_outcome(case):
    found = result(output(case.build, case.name), case.status)
    assert found.outcome is case.outcome
    assert found.violated == case.violated
    assert (found.trace and len(found.trace)) == case.steps
    assert found.tlc_version is not None
    assert bool(found.error_text) == (found.outcome is not Outcome.SUCCESS)
    assert (not found.missing) == (found.outcome is Outcome.SUCCESS)
    assert found.outcome.is_violation == bool(found.violations)


@each_case("case", CASES)
def test_the_exit_status_alone_never_makes_a_success(case):
    assert (result(output(case.build, case.name), 0).outcome is Outcome.SUCCESS) == (
        case.outcome is Outcome.SUCCESS
    )


@pytest.mark.parametrize("case", SUCCESSES, ids=str)
def test_success_needs_exit_status_0(case):
    text = output(case.build, case.name)
    for status in (None, 1, 12, 143, 255, -9):
        assert result(text, status).outcome is Outcome.INCOMPLETE
    assert result(text, -9).ended_by is EndedBy.SIGNAL
    assert result(text, 0, ended_by=EndedBy.TIMEOUT).outcome is Outcome.INCOMPLETE
    assert not result(text, 0, ended_by=EndedBy.TIMEOUT).finished


@pytest.mark.parametrize("case", CASES, ids=IDS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_part_of_an_output_is_a_success(case, data):
    text = output(case.build, case.name)
    cut = data.draw(st.integers(0, len(text) - 1))
    part = result(text[:cut], 0)
    assert part.outcome is not Outcome.SUCCESS
    assert part.outcome in {case.outcome, Outcome.INCOMPLETE} or case.outcome.is_tool_failure or part.errors
    if part.outcome.is_violation:
        assert part.outcome is case.outcome
    if part.trace:
        assert len(part.trace) <= (case.steps or 0)


@pytest.mark.parametrize("case", SUCCESSES, ids=str)
def test_no_success_is_cut_at_a_line(case):
    lines = output(case.build, case.name).splitlines(keepends=True)
    for count in range(len(lines)):
        assert result("".join(lines[:count]), 0).outcome is not Outcome.SUCCESS


@pytest.mark.parametrize("case", [c for c in SUCCESSES if not c.name.startswith("simulate")], ids=str)
def test_success_needs_each_of_its_messages(case):
    text = output(case.build, case.name)
    for code in (2187, 2193, 2199, 2186):
        lines = text.replace(f"STARTMSG {code}:0 ", "STARTMSG 9999:0 ").replace(
            f"ENDMSG {code} ", "ENDMSG 9999 "
        )
        assert result(lines, 0).outcome is Outcome.INCOMPLETE, code
    assert result(text.replace(" 0 states left", " 1 states left"), 0).outcome is Outcome.INCOMPLETE
    noise = "@!@!@STARTMSG 4711:1 @!@!@\nnew kind of error\n@!@!@ENDMSG 4711 @!@!@\n"
    assert result(noise + text, 0).outcome is Outcome.TOOL_ERROR
    for code in (2121, 2264):  # an error's headings alone
        heading = f"@!@!@STARTMSG {code}:1 @!@!@\nThe behavior\n@!@!@ENDMSG {code} @!@!@\n"
        assert result(heading + text, 0).outcome is Outcome.INCOMPLETE
    assert result(text + "@!@!@STARTMSG 2200:0 @!@!@\nProg", 0).outcome is Outcome.INCOMPLETE
    assert result(text + "@!@!@ENDMSG 2200 @!@!@\n", 0).outcome is Outcome.INCOMPLETE
    assert result(text + "@!@!@STARTM\n", 0).outcome is Outcome.INCOMPLETE
    warning = "@!@!@STARTMSG 2400:3 @!@!@\nsome advice\n@!@!@ENDMSG 2400 @!@!@\n"
    assert result(warning + text, 0).outcome is Outcome.SUCCESS


@pytest.mark.parametrize("build", ["2.15", "modern"])
def test_a_violation_outlives_the_kill(build):
    text = output(build, "invariant_continue")
    cut = result(text[: text.rindex("2217:4")], -9)
    assert cut.outcome is Outcome.INVARIANT
    assert not cut.finished
    assert cut.violation_count == 2
    assert cut.violations[0].trace
    whole = result(text, 0)
    assert whole.finished
    assert [len(found.trace) for found in whole.violations] == [4, 8]


def test_an_error_after_a_violation_has_its_own_trace():
    """With -continue TLC may come to a state that it cannot evaluate; that trace is not the violation's."""
    violated, failing = output("modern", "invariant_continue"), output("modern", "eval_error_next")
    ends = violated.index("@!@!@STARTMSG 2110", violated.index("@!@!@STARTMSG 2110") + 1)
    begins = failing.rindex("@!@!@STARTMSG", 0, failing.index(":1 @!@!@"))
    found = result(violated[:ends] + failing[begins:], 75)
    assert found.outcome is Outcome.INVARIANT
    (violation,) = found.violations
    assert len(violation.trace) == 4
    own = result(failing, 75).error_trace
    assert own is not None
    assert found.error_trace == own


@pytest.mark.parametrize("build", ["2.15", "modern"])
@pytest.mark.parametrize(
    "said",
    [
        "java.io.IOException: No space left on device",
        "java.io.IOException: Too many open files",
        "java.io.IOException: File too large",
        "java.io.FileNotFoundException: /tmp/TLC.tla (No such file or directory)",
        "java.nio.file.AccessDeniedException: /tmp/TLC.tla",
    ],
)
def test_what_the_machine_could_not_do_is_no_error_of_the_spec(build, said):
    """TLC copies its own modules to a directory, and cannot parse what it could not copy."""
    text = output(build, "parse_error")
    assert result(text, 150).outcome is Outcome.PARSE_ERROR
    full = result(text, 150, stderr=f"{said}\n\tat java.base/java.io.File\n")
    assert full.outcome is Outcome.TOOL_ERROR
    assert full.error_text.startswith(f"{said}\n")


def test_an_exception_that_tlc_quotes_says_nothing_of_the_machine():
    """A spec may ask for a file that is not there, by a module of its own."""
    said = "The exception was a java.io.FileNotFoundException\n: items.json"
    assert trouble_of_machine(said) is None


def test_a_trace_with_a_cut_state_is_no_trace():
    text = output("2.15", "invariant")
    at = text.index("3: <Inc")
    cut = result(text[: at + 30], -9)
    assert cut.outcome is Outcome.INVARIANT
    assert cut.trace is None


@pytest.mark.parametrize("build", ["2.15", "modern"])
def test_numbers(build):
    found = result(output(build, "success"), 0)
    assert (found.generated, found.distinct, found.left_on_queue) == (9, 8, 0)
    assert (found.depth, found.initial_states, found.workers) == (8, 1, 1)
    assert found.mode is Mode.BREADTH_FIRST
    assert found.tlc_version.startswith({"2.15": "2.15", "modern": "2026."}[build])
    assert found.seconds == {"2.15": 1.379, "modern": 2.31}[build]
    assert isinstance(found.seed, int)
    assert isinstance(found.fp, int)
    assert result(output(build, "sigterm"), 143).initial_states == 10


@pytest.mark.parametrize("build", ["2.15", "modern"])
def test_error_texts_name_the_cause(build):
    def error(name, **facts):
        return result(output(build, name), 1, **facts).error_text

    assert error("invariant") == "Invariant Small is violated."
    assert "undefinedOp" in error("semantic_error")
    assert "Parsing file" not in error("semantic_error")
    assert "line 5, column 16" in error("parse_error")
    assert "NotThere" in error("missing_module")
    assert "Head to the empty sequence" in error("eval_error_next").splitlines()[0]
    assert "File not found" in error("config_missing_file")
    assert "x too big" in error("assert_failed")
    assert "status is 1" in error("success")
    assert "from the machine" in error("parse_error", stderr="from the machine")


def test_java_that_does_not_start_is_a_tool_error():
    found = result("", 1, stderr="Error: Unable to access jarfile x.jar")
    assert found.outcome is Outcome.TOOL_ERROR
    assert "jarfile" in found.error_text
    assert result("", 0).outcome is Outcome.INCOMPLETE
    assert result("", -9).outcome is Outcome.INCOMPLETE
    assert (
        result("", 1, stderr="java.lang.OutOfMemoryError: Java heap space").outcome is Outcome.OUT_OF_MEMORY
    )


def test_an_action_property_named_by_its_place_gets_its_name():
    text = output("2.15", "success_coverage")
    place = "line 11, col 11 to line 11, col 20 of module Ok"
    violation = f"@!@!@STARTMSG 2112:1 @!@!@\nAction property {place} is violated.\n@!@!@ENDMSG 2112 @!@!@\n"
    found = result(violation + text, 13)
    assert found.outcome is Outcome.ACTION_PROPERTY
    assert found.violations[0].location == place
    assert found.violated == "TypeOK"
    assert result(violation, 13).violated is None
    for there, elsewhere in (("line 11, ", "line 12, "), ("module Ok", "module Other")):
        assert result(violation.replace(there, elsewhere) + text, 13).violated is None


def test_a_code_has_one_name_and_every_outcome_but_those_without_evidence_a_code():
    assert len({int(code) for code in Code}) == len(Code.__members__)
    listed = [code for codes in CODES.values() for code in codes]
    assert len(set(listed)) == len(listed)
    assert set(CODES) == set(Outcome) - {Outcome.SUCCESS, Outcome.TOOL_ERROR, Outcome.INCOMPLETE}
    assert error_outcome([2110, 424242], []) is Outcome.TOOL_ERROR
    of_behaviours = "Attempted to check equality of the function <<{1}, {}>> with the value:\n99"
    assert error_outcome([Code.GENERAL], [of_behaviours]) is Outcome.EVALUATION_ERROR
    assert error_outcome([Code.GENERAL], ["another exception"]) is Outcome.TOOL_ERROR
    assert error_outcome([Code.TLC_PARSING_FAILED, Code.SYSTEM_OUT_OF_MEMORY], []) is Outcome.OUT_OF_MEMORY
    assert violation_outcome(TlcMessage(424242, ERROR, "")) is None


LATER = {1003, 2148, 2149, 2256, 2257, 2259, 2272, 2273, 2274, 2404, 2405, 2778}
"""Codes that 2.15 does not have."""


@pytest.mark.tlc
def test_names_and_numbers_are_those_of_the_jar():
    data = zipfile.ZipFile(find_tla2tools().path).read("tlc2/output/EC.class")
    for code in {*Code, *(code for codes in CODES.values() for code in codes)} - LATER:
        assert b"\x03" + struct.pack(">i", code) in data, code
    for code in set(Code) - LATER:
        name = code.name.encode()
        assert b"\x01" + struct.pack(">H", len(name)) + name in data, code.name
