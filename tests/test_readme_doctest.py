"""What the README shows at a Python prompt is what one gets."""

from __future__ import annotations

import doctest

from pyharness.pipeline.places import ROOT


def test_the_readmes_prompt_says_the_truth():
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert found.attempted >= 4
    assert not found.failed
