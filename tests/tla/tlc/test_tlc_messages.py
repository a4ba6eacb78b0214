import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import CASES, output

from pyharness.tla.tlc import MessageReader, TlcMessage
from tests.each_case import each_case

START, END = "@!@!@STARTMSG {} @!@!@\n", "@!@!@ENDMSG {} @!@!@\n"


def frame(code, kind, text):
    return START.format(f"{code}:{kind}") + text + "\n" + END.format(code)


def read(text):
    reader = MessageReader()
    return list(reader.read(text.splitlines(keepends=True))), reader


def test_frames_and_what_is_outside():
    messages, reader = read("before\n" + frame(1, 0, "one\ntwo") + "between\n" + frame(2, 3, "") + "after\n")
    assert messages == [TlcMessage(1, 0, "one\ntwo"), TlcMessage(2, 3, "")]
    assert reader.outside == "before\nbetween\nafter\n"
    assert reader.intact


def test_a_frame_may_start_in_the_middle_of_a_line():
    messages, reader = read("1000\n: " + frame(1, 1, "outer\n: " + frame(2, 0, "inner")))
    assert messages == [TlcMessage(2, 0, "inner", within=1), TlcMessage(1, 1, "outer\n: ")]
    assert reader.outside == "1000\n: "
    assert reader.intact


def test_a_frame_without_its_end_is_reported():
    text = START.format("1:1") + "outer " + START.format("2:0") + "inn"
    messages, reader = read(text)
    assert messages == [
        TlcMessage(2, 0, "inn", within=1, complete=False),
        TlcMessage(1, 1, "outer ", complete=False),
    ]
    assert not reader.intact


def test_an_inner_frame_without_its_end_is_reported_with_the_outer_end():
    messages, reader = read(START.format("1:1") + START.format("2:0") + "x\n" + END.format(1))
    assert [(m.code, m.complete) for m in messages] == [(2, False), (1, True)]
    assert not reader.intact


@pytest.mark.parametrize("text", [END.format(1), "@!@!@STARTMSG", "@!@!@\n", "no line break"])
def test_malformed_output_is_not_intact(text):
    assert not read(text)[1].intact


def test_memory_is_bounded():
    reader = MessageReader(max_frame=10, max_outside=5)
    messages = list(
        reader.read(["abc\n", "defgh\n", START.format("1:0"), "123456789\n", "123\n", END.format(1)])
    )
    assert messages == [TlcMessage(1, 0, "123456789", complete=False)]
    assert reader.outside == "abc\nd"


def test_a_message_without_a_class_is_information():
    assert read("@!@!@STARTMSG 7 @!@!@\nx\n@!@!@ENDMSG 7 @!@!@\n")[0] == [TlcMessage(7, 0, "x")]


@each_case("case", CASES)
def test_recordings_are_well_formed(case):
    messages, reader = read(output(case.build, case.name))
    assert reader.intact
    assert all(message.complete for message in messages)
    assert len(messages) == output(case.build, case.name).count("STARTMSG")


words = st.text(st.characters(codec="ascii", exclude_characters="@"), max_size=20)
plain = st.builds(frame, st.integers(1, 3000), st.integers(0, 4), words)


@given(st.lists(plain | words.map(lambda t: t + "\n"), max_size=8), st.integers(0, 400))
def test_a_cut_loses_no_whole_frame(parts, cut):
    text = "".join(parts)
    whole, reader = read(text)
    assert reader.intact
    part, cut_reader = read(text[:cut])
    complete = [m for m in part if m.complete]
    assert complete == whole[: len(complete)]
    assert len(complete) == text[: max(0, cut)].count(" @!@!@\n") // 2 or text[:cut].endswith("@!@!@")
    if cut < len(text) and text[cut - 1 : cut] != "\n" and cut > 0:
        assert not cut_reader.intact
