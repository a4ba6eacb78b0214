"""Pages of this machine for one user: how a browser comes to their address."""

from __future__ import annotations

import tempfile
import webbrowser
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def opened(url: str, *, opens: bool) -> Iterator[None]:
    """Open an address in a browser, if asked to, by a file that leads there and that only this user can read.

    All users of a machine see the words of a command, and the address has the token.
    """
    with tempfile.TemporaryDirectory(prefix="pyharness-explore-") as private:
        if opens:
            page = Path(private, "page.html")
            page.write_text(
                f'<!doctype html><meta http-equiv="refresh" content="0; url={url}">', encoding="utf-8"
            )
            page.chmod(0o600)
            click.echo(f"{page.as_uri()} leads there, for you alone.", err=True)
            webbrowser.open(page.as_uri())
        yield
