"""One Spark session for all tests of a process that need one; it starts when the first does."""

from __future__ import annotations

import pytest

from pyharness.run.spark_session import spark_session


@pytest.fixture(scope="session")
def spark():
    with spark_session(quick=True) as session:
        yield session
