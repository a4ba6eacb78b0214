"""Flink's classes, where the extra is installed; the tests that need them are skipped elsewhere."""

from __future__ import annotations

import os

import pytest

from pyharness.flink.flink_classes import missing_packages, start_flink


@pytest.fixture(scope="session")
def flink():
    missing = missing_packages()
    if missing and os.environ.get("PYHARNESS_FLINK") != "required":
        pytest.skip(f"{', '.join(missing)} not installed; `make flink` does")
    return start_flink()
