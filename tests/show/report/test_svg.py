"""The picture of a trace: what it shows, that it is sound XML, and that it can be read."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from pyharness.show.report.trace.diagram_svg import CSS, to_svg
from pyharness.show.report.trace.trace_page import content_policy, page_style, to_html
from tests.each_case import each_case
from tests.show.report.committed import NAMES as COMMITTED
from tests.show.report.committed import read
from tests.show.report.hostile import HOSTILE_META, NAMES, hostile_trace

SVG = "{http://www.w3.org/2000/svg}"


def parsed(text):
    return ET.fromstring(text)  # noqa: S314 - our own


def drawn(name):
    return parsed(to_svg(*read(name)))


def having(root, name):
    return [e for e in root.iter() if name in e.get("class", "").split()]


def texts(root):
    return ["".join(e.itertext()) for e in root.iter(f"{SVG}text")]


@each_case("name", COMMITTED)
def test_every_trace_is_drawn_within_the_picture(name):
    trace, meta = read(name)
    text = to_svg(trace, meta)
    root = parsed(text)
    _, _, width, height = map(float, root.get("viewBox").split())
    assert len(having(root, "event")) == len(trace) - 1
    for line in root.iter(f"{SVG}circle"):
        if line.get("cx") != "15":  # of the legend
            assert 0 <= float(line.get("cx")) <= width
            assert 0 <= float(line.get("cy")) <= height
    assert not re.search(r"(href|src|url\(|@import|http(?!://www\.w3\.org/2000/svg))", text)


def test_it_shows_the_cut_the_channel_state_and_the_markers():
    root = drawn("kuper")
    said = "".join(root.itertext())
    assert [letter for letter in "ABCDEFGHIJK" if f"{letter}: " not in said] == []
    assert len(having(root, "cut")) == 2  # one is in the legend
    assert "C21 holds m3" in texts(root)
    assert len(having(root, "record")) == 4
    markers = [e for e in having(root, "control") if e.get("data-sent")]
    assert len(markers) == 6
    assert "stroke-dasharray" in CSS


def test_it_shows_where_the_property_breaks_and_why():
    said = texts(drawn("NonFifoChannel"))
    assert "✗ NoRedInWhite is violated here" in said
    assert "⚠ 1: red in white" in said
    assert "✗ ExactlyOnce is violated here" in texts(drawn("skipped-alignment-duplicate"))


def test_hostile_names_stay_text():
    text = to_svg(hostile_trace(), HOSTILE_META)
    root = parsed(text)
    assert not list(root.iter(f"{SVG}script"))
    assert not list(root.iter(f"{SVG}img"))
    assert "\u202e" not in text
    assert "\\u202e" in text
    page = to_html(hostile_trace(), HOSTILE_META)
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "<img" not in page
    assert NAMES[-1][:9] not in re.sub(r"\{\{ 7 \* 7 \}\}", "", page)
    assert "49{%" not in page


def test_a_page_lets_in_nothing_but_its_own_style_and_script():
    page = to_html(*read("LateTurn"))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#39;", "'")
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    script = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)[-1]
    assert policy == content_policy(style, script)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert style == page_style()
    assert not re.search(r'\sstyle="|\son[a-z]+="', page)
