"""The tools that the machine must have: a Java runtime, tla2tools.jar, Spark; found without a manual installation."""

from __future__ import annotations

from pyharness.base.toolchain.jar import Tla2Tools, find_tla2tools, quick_start
from pyharness.base.toolchain.java import Java, find_java, java_home_for_spark

__all__ = [
    "Java",
    "Tla2Tools",
    "find_java",
    "find_tla2tools",
    "java_home_for_spark",
    "quick_start",
]
