"""``pyharness completion``: what a shell needs to complete commands, options, and the names of what is ours."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from pyharness.base.errors import SpecError
from pyharness.cli import VARIABLE


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what SHELL reads to complete commands, options, specs, seeded bugs, plans, models, graphs, examples.

    \b
    bash:  eval "$(pyharness completion bash)"       in ~/.bashrc
    zsh:   eval "$(pyharness completion zsh)"        in ~/.zshrc
    fish:  pyharness completion fish | source        in ~/.config/fish/config.fish
    """  # noqa: D301 - click reads the \b
    made = get_completion_class(shell)
    if made is None:
        raise SpecError(f"there is no completion for {shell}")
    click.echo(made(context.find_root().command, {}, "pyharness", VARIABLE).source())
