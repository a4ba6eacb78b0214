"""The command line as tests call it, in this process."""

from __future__ import annotations

from click.testing import CliRunner

from pyharness.cli.main import cli


def run(*words):
    """Call the command of these words; what is no text is written as one."""
    return CliRunner().invoke(cli, [str(word) for word in words])
