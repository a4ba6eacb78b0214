"""The page of the figures that the benchmarks left: ``build/bench/index.html``.

    python benchmarks/page.py

Every comparison is a row: its ratios as dots, their median, and the ratio that is aimed at as a line.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime

from jinja2 import Environment, StrictUndefined
from pairs import OUT

_WIDTH = 260
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Benchmarks</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24 }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .4rem .6rem }
tr { border-bottom: 1px solid #d0d7de } .number { text-align: right; font-variant-numeric: tabular-nums }
.missed { color: #b42318 } .reached { color: #116329 }
</style>
<h1>Benchmarks</h1>
<p>{{ when }}. Processor time, measured pair by pair; a ratio is the median of its pairs. A line is the ratio that is
aimed at.</p>
<table><tr><th>what<th class=number>ours<th class=number>the other<th class=number>ratio<th class=number>from, to
<th class=number>aim<th>ratios, from 0 to {{ most }}</tr>
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
{% for file, facts in facts.items() if facts %}
<h2>{{ file }}</h2><ul>{% for name, value in facts.items() %}<li>{{ name }}: {{ value }}</li>{% endfor %}</ul>
{% endfor %}
<p>{{ machine }}</p>
</html>
"""


def main() -> int:
    """Write the page; return the exit status."""
    files = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(OUT.glob("*.json"))}
    if not files:
        print(f"page: no figures in {OUT}: run `make bench`", file=sys.stderr)
        return 1
    found = [each for content in files.values() for each in content["comparisons"]]
    most = max(max([*each["ratios"], each["wanted"] or 0]) for each in found) * 1.1
    rows = []
    for each in found:
        wanted, median = each["wanted"], each["median"]
        reached = wanted is None or (median <= wanted if each["cost"] else median >= wanted)
        rows.append(
            {
                "what": each["what"],
                "ours": f"{sorted(each['ours'])[len(each['ours']) // 2]:.1f} {each['unit']}",
                "other": f"{sorted(each['other'])[len(each['other']) // 2]:.1f} {each['unit']}",
                "median": f"{median:.2f}",
                "low": f"{min(each['ratios']):.2f}",
                "high": f"{max(each['ratios']):.2f}",
                "aim": "" if wanted is None else f"{'at most' if each['cost'] else 'at least'} {wanted}",
                "verdict": "reached" if reached else "missed",
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
            most=f"{most:.1f}",
            width=_WIDTH,
            when=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            facts={name: content["facts"] for name, content in files.items()},
            machine=", ".join(f"{name} {value}" for name, value in machine.items()),
        )
    )
    page = OUT / "index.html"
    page.write_text(text, encoding="utf-8")
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
