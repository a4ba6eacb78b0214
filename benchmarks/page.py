"""The page of the figures that the benchmarks left: ``build/bench/index.html``.

    python benchmarks/page.py

Every comparison is a row: its ratios as dots, their median, and the ratio that is aimed at as a line. Below are the
tables that benchmarks left, their lines as plots, and how loaded the machine was.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from datetime import UTC, datetime
from typing import Any

from jinja2 import Environment, StrictUndefined
from pairs import OUT

_WIDTH = 260
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Benchmarks</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24 }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .4rem .6rem }
tr { border-bottom: 1px solid #d0d7de } .number { text-align: right; font-variant-numeric: tabular-nums }
figure { display: inline-block; margin: 1rem 1rem 0 0 } svg text { font-size: 12px; fill: #57606a }
.missed { color: #b42318 } .reached { color: #116329 }
</style>
<h1>Benchmarks</h1>
<p>{{ when }}. Measured pair by pair, processor time unless the unit says seconds; a ratio is the median of its pairs.
The red line is the ratio that is aimed at.</p>
<table><tr><th>what<th class=number>ours<th class=number>the other<th class=number>ratio<th class=number>from, to
<th class=number>aim<th>ratios, each row from 0</tr>
{% for row in rows %}
<tr><td>{{ row.what }}<td class=number>{{ row.ours }}<td class=number>{{ row.other }}
<td class="number {{ row.verdict }}">{{ row.median }}<td class=number>{{ row.low }}, {{ row.high }}
<td class=number>{{ row.aim }}
<td><svg width="{{ width }}" height="22" role="img" aria-label="{{ row.median }}">
<line x1="0" y1="11" x2="{{ width }}" y2="11" stroke="#d0d7de"/>
{% if row.line is not none %}<line x1="{{ row.line }}" y1="1" x2="{{ row.line }}" y2="21" stroke="#b42318"/>{% endif %}
{% for x in row.dots %}<circle cx="{{ x }}" cy="11" r="4" fill="#0550ae" fill-opacity=".6"/>{% endfor %}
</svg></tr>
{% endfor %}
</table>
{% for section in sections %}
<h2>{{ section.name }}</h2>
{% if section.table %}
<table><tr>{% for name in section.table[0] %}<th class=number>{{ name }}{% endfor %}</tr>
{% for row in section.table %}
<tr>{% for value in row.values() %}<td class=number>{{ value }}{% endfor %}</tr>
{% endfor %}
</table>
{% endif %}
{% for plot in section.plots %}
<figure><figcaption>{{ plot.name }} ({{ plot.unit }}), by their number</figcaption>
<svg width="{{ plot.width }}" height="{{ plot.height }}" role="img" aria-label="{{ plot.name }}">
{% for y, text in plot.ticks_y %}<line x1="{{ plot.left }}" x2="{{ plot.right }}" y1="{{ y }}" y2="{{ y }}"
stroke="#d0d7de"/><text x="{{ plot.left - 6 }}" y="{{ y + 4 }}" text-anchor="end">{{ text }}</text>{% endfor %}
<polyline points="{% for x, y, _, _ in plot.points %}{{ x }},{{ y }} {% endfor %}" fill="none" stroke="#0550ae"/>
{% for x, y, text, below in plot.points %}<circle cx="{{ x }}" cy="{{ y }}" r="4" fill="#0550ae"/>
<text x="{{ x }}" y="{{ y - 9 }}" text-anchor="middle">{{ text }}</text>
<text x="{{ x }}" y="{{ plot.height - 6 }}" text-anchor="middle">{{ below }}</text>{% endfor %}
</svg></figure>
{% endfor %}
<ul><li>the load when it ended, of the last minute, five and fifteen: {{ section.load }}</li>
{% for name, value in section.facts.items() %}<li>{{ name }}: {{ value }}</li>{% endfor %}</ul>
{% endfor %}
<p>{{ machine }}</p>
</html>
"""


def plot(name: str, unit: str, points: list[tuple[float, float]]) -> dict[str, Any]:
    """Return a line through points, whose x is drawn by its logarithm and whose y begins at 0."""
    width, height, left, top = 460, 200, 50, 30
    right, bottom = width - 50, height - 30
    logs = [math.log10(x) for x, _ in points]
    spread = max(logs) - min(logs) or 1.0
    most = max(y for _, y in points) * 1.2

    def down(y: float) -> float:
        return round(bottom - y / most * (bottom - top), 1)

    return {
        "name": name,
        "unit": unit,
        "width": width,
        "height": height,
        "left": left,
        "right": right,
        "ticks_y": [(down(most * part / 4), f"{most * part / 4:.0f}") for part in range(5)],
        "points": [
            (
                round(left + 40 + (log - min(logs)) / spread * (right - left - 80), 1),
                down(y),
                f"{y:.1f}",
                f"{x:,}",
            )
            for log, (x, y) in zip(logs, points, strict=True)
        ],
    }


def shown(value: object) -> object:
    """Return a figure as a table shows it, or several."""
    if isinstance(value, list):
        return ", ".join(str(shown(each)) for each in value)
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value


def section(name: str, content: dict[str, Any]) -> dict[str, Any]:
    """Return what the page says of one file of figures below the table of all."""
    unit = content["comparisons"][0]["unit"]
    return {
        "name": name,
        "table": [
            {key.replace("_", " "): shown(value) for key, value in row.items()}
            for row in content.get("table", ())
        ],
        "plots": [
            plot(line, unit, points) for line, points in content.get("lines", {}).items() if len(points) > 1
        ],
        "load": ", ".join(f"{load:.1f}" for load in content["load"]),
        "facts": {name.replace("_", " "): shown(value) for name, value in content["facts"].items()},
    }


def seconds(value: float, unit: str) -> str:
    """Return a median with its unit; small ones with two digits."""
    return f"{value:.{2 if value < 10 else 1}f} {unit}"


def main() -> int:
    """Write the page; return the exit status."""
    files = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(OUT.glob("*.json"))}
    if not files:
        print(f"page: no figures in {OUT}: run `make bench`", file=sys.stderr)
        return 1
    found = [each for content in files.values() for each in content["comparisons"]]
    rows = []
    for each in found:
        most = max([*each["ratios"], each["wanted"] or 0]) * 1.1
        wanted, median = each["wanted"], each["median"]
        reached = wanted is not None and (median <= wanted if each["cost"] else median >= wanted)
        rows.append(
            {
                "what": each["what"],
                "ours": seconds(statistics.median(each["ours"]), each["unit"]),
                "other": seconds(statistics.median(each["other"]), each["unit"]),
                "median": f"{median:.2f}",
                "low": f"{min(each['ratios']):.2f}",
                "high": f"{max(each['ratios']):.2f}",
                "aim": "" if wanted is None else f"{'at most' if each['cost'] else 'at least'} {wanted}",
                "verdict": "" if wanted is None else "reached" if reached else "missed",
                "line": None if wanted is None else round(wanted / most * _WIDTH, 1),
                "dots": [round(ratio / most * _WIDTH, 1) for ratio in each["ratios"]],
            }
        )
    machine = next(iter(files.values()))["machine"]
    text = (
        Environment(autoescape=True, undefined=StrictUndefined)
        .from_string(_PAGE)
        .render(
            rows=rows,
            width=_WIDTH,
            when=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            sections=[section(name, content) for name, content in files.items()],
            machine=", ".join(f"{name} {value}" for name, value in machine.items()),
        )
    )
    page = OUT / "index.html"
    page.write_text(text, encoding="utf-8")
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
