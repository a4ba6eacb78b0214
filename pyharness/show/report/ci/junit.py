"""The cases of a run as JUnit XML, the form that CI systems read."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from pyharness.gate.judge.result_cases import Status
from pyharness.show.report.ci.failures import trace_of
from pyharness.show.report.formats.trace_text import to_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pyharness.gate.judge.result_cases import Case

_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST_CHARACTERS: Final = 20_000


def to_junit(plan: str, cases: Sequence[Case], traces: Mapping[Case, Path | str] | None = None) -> str:
    """Write cases as a JUnit document: a ``testsuite`` for each suite, a ``testcase`` for each case.

    ``traces`` has the pages of the counterexamples; a page's path and the trace's text are in the body. Measured
    values are in ``properties``. Characters that XML cannot hold become U+FFFD.
    """
    suites: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        suites[case.suite].append(case)
    root = ET.Element("testsuites", {"name": _clean(f"pyharness {plan}"), **_counts(cases)})
    for name, own in suites.items():
        suite = ET.SubElement(root, "testsuite", {"name": _clean(name), **_counts(own)})
        for case in own:
            _testcase(suite, plan, case, (traces or {}).get(case))
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    def count(status: Status) -> str:
        return str(sum(case.status is status for case in cases))

    return {
        "tests": str(len(cases)),
        "failures": count(Status.FAILURE),
        "errors": count(Status.ERROR),
        "skipped": count(Status.SKIPPED),
        "time": f"{sum(case.seconds or 0 for case in cases):.3f}",
    }


def _testcase(suite: ET.Element, plan: str, case: Case, path: Path | str | None) -> None:
    names = {"name": _clean(case.name), "classname": _clean(f"{plan}.{case.suite}")}
    if case.place is not None:
        names |= {"file": _clean(case.place.file), "line": str(case.place.line)}
    if case.seconds is not None:
        names["time"] = f"{case.seconds:.3f}"
    element = ET.SubElement(suite, "testcase", names)
    if case.figures:
        properties = ET.SubElement(element, "properties")
        for name, value in case.figures.items():
            ET.SubElement(properties, "property", name=_clean(name), value=_clean(str(value)))
    if case.status is Status.PASSED:
        return
    result = ET.SubElement(element, case.status.value, message=_clean("; ".join(case.reasons)))
    if case.status is not Status.SKIPPED:
        result.set("type", case.status.value)
        lines = [*case.reasons, *([f"at {case.place}"] if case.place else [])]
        if path is not None:
            lines.append(f"trace: {path}")
        if found := trace_of(case):
            lines += ["", to_text(found[0], None, found[1])[:_MOST_CHARACTERS]]
        result.text = _clean("\n".join(lines))


def _clean(text: str) -> str:
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)
