"""What stands where on the committed pages: no text on text, none cut off, no box on an arrowhead, nothing too wide."""

from __future__ import annotations

import pytest

from pyharness.base.toolchain.spec_files import ROOT
from pyharness.show.report.formats.trace_gallery import write_pages
from pyharness.show.report.trace.trace_page import to_html
from pyharness.tla.tlc.itf import from_itf
from tests.long import some

pytestmark = pytest.mark.browser

WIDTHS = (390, 1400, 2560)
HEIGHT = 100
"""Where things stand does not depend on it, and what is not shown is not drawn."""

MEASURE = """() => {
  for (const box of document.querySelectorAll(".diagram")) {
    box.scrollLeft = 0;
    box.dispatchEvent(new Event("scroll"));  // so that the names follow now, not with the next frame
  }
  const found = [];
  const overlap = (a, b) => {
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    return across > 1 && down > 2.5;
  };
  for (const picture of document.querySelectorAll(".diagram svg")) {
    const all = (selector) => [...picture.querySelectorAll(selector)].map((e) => [e, e.getBoundingClientRect()]);
    const texts = all("text").filter(([e]) => e.textContent.trim());
    const pills = all(".pill").filter(([e]) => !e.closest(".key"));
    const whole = picture.getBoundingClientRect();
    texts.sort((a, b) => a[1].left - b[1].left);
    texts.forEach(([one, at], i) => {
      for (let j = i + 1; j < texts.length && texts[j][1].left < at.right; j += 1) {
        if (overlap(at, texts[j][1])) found.push(`${one.textContent} on ${texts[j][0].textContent}`);
      }
      const [across, down] = [at.left < whole.left - 1 || at.right > whole.right + 1, at.top < whole.top - 1];
      if (across || down || at.bottom > whole.bottom + 1) {
        found.push(`${one.textContent} is cut off`);
      }
    });
    for (const [pill, at] of pills) {
      for (const [other, place] of [...all(".message .head, .record"), ...texts]) {
        if (other !== pill.nextElementSibling && overlap(at, place)) {
          found.push(`${pill.nextElementSibling.textContent} on ${other.textContent || other.getAttribute("class")}`);
        }
      }
    }
  }
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) found.push(`the page is ${wide} wide`);
  return found;
}"""


@pytest.fixture(scope="module")
def page(chromium):
    opened = chromium.new_page()
    yield opened
    opened.close()


def measured(page):
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        found |= {f"{width}: {what}": None for what in page.evaluate(MEASURE)}
    return list(found)


@pytest.mark.parametrize("every", some([4, 1], 1))
def test_nothing_lies_on_anything_on_any_page_of_a_trace(page, every, tmp_path):
    """One of so many pages is looked at."""
    found = {}
    write_pages(ROOT / "traces", tmp_path)
    pages = sorted(tmp_path.glob("*.html"))
    assert len(pages) > 70
    for path in pages[::every]:
        page.goto(path.as_uri())
        if what := measured(page):
            found[path.name] = what
    assert not found


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("const t = document.querySelector('.what'); t.parentNode.append(t.cloneNode(true))", "on"),
        ("document.querySelector('.flag-text').setAttribute('x', '-40')", "is cut off"),
        ("document.querySelector('.pill').setAttribute('width', '400')", "C21 holds m3 on"),
        ("document.querySelector('h1').style.width = '3000px'", "the page is 30"),
    ],
)
def test_what_lies_wrong_is_found(page, broken, says):
    text = (ROOT / "traces" / "kuper.itf.json").read_text(encoding="utf-8")
    trace, meta = from_itf(text)
    page.set_content(to_html(trace, {**meta, "violated": "Something"}))
    assert measured(page) == []
    page.evaluate(broken)
    assert any(says in what for what in measured(page))
