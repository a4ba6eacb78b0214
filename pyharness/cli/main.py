"""The command line. Each command is a thin module of this package, loaded only when it is called.

Exit codes: 0 pass; 1 violation or nonconformance; 2 usage, or what the user gave is wrong; 3 incomplete (killed,
timed out, over a budget, evidence missing); 4 a tool failed; 5 two parts of the tool do not agree. See
:mod:`pyharness.base.errors`.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import traceback
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from pyharness import __version__
from pyharness.base.errors import HarnessError, IncompleteError, SpecError, ToolError
from pyharness.base.toolchain.clean_text import cleaned
from pyharness.base.toolchain.interrupts import end_as_interrupted
from pyharness.base.toolchain.spec_files import require_specs

if TYPE_CHECKING:
    from collections.abc import Iterator

INTERRUPTED: Final = "interrupted; what has finished is kept"
"""The message after a plan's run that somebody, or a CI system, has interrupted; of other commands its first word."""

_SUBCOMMANDS: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "hold": {
        "program": ("hold_command:hold", "Hold a program in any language against a spec"),
        "python": (
            "conform_command:conform",
            "Compare a Python implementation with every transition of a spec",
        ),
        "flink": ("flink_command:flink", "Compare Apache Flink's own barrier handlers with the spec's"),
    },
    "mutate": {
        "spec": ("mutate_command:mutate", "Change a spec in one place at a time: does a property notice?"),
        "property": ("mutate_command:weaken", "Weaken each property: does a mutant notice?"),
        "premise": ("mutate_command:strengthen", "Drop each premise: does a model refute the rest?"),
        "bug": ("mutate_command:plant", "Put each seeded bug into its spec: does a passing model notice?"),
        "code": ("mutate_command:mutation", "Change the implementation: does a comparison notice?"),
    },
    "trace": {
        "replay": ("trace_commands:replay", "Take every step of a trace with the implementation"),
        "reorder": ("reorder_command:reorder", "Sort a trace: white actions, the snapshot, red actions"),
        "export": ("trace_commands:export", "Write a trace in another format"),
        "example": ("example_command:example", "Take a worked example of the literature, step by step"),
    },
    "plan": {
        "model": ("model_command:model", "Render a model as TLA+, or as a plan's entry"),
        "mutants": ("mutants_command:mutants", "Print which properties catch which seeded bugs"),
        "claims": ("claims_command:claims", "Print for each claim its theorem, models and mutants"),
        "pins": ("pins_command:pins", "Compare a plan's pinned numbers with a run, or update them"),
        "pairs": ("pairs_command:pairs", "Print which two features some model has together"),
        "traces": ("traces_command:traces", "Write a plan's shortest counterexamples"),
        "wander": ("wander_command:wander", "Walk at random through larger graphs"),
    },
}
"""The commands of each group: the module and name of each below ``pyharness.cli``, and its purpose."""

DEFAULTS: Final = {"hold": "program", "mutate": "spec"}
"""The command of a group that is meant where none is named."""

_SECTIONS: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "Check, and look at the result": {
        "check": ("check_command:check", "Model-check a plan, a spec on a graph, or any module"),
        "explore": (
            "explore_command:explore",
            "Click through the behaviours of a spec, a bug, or any module",
        ),
        "states": ("states_command:states", "Draw all states of an implementation, or of any module"),
        "trace": ("", "Replay, reorder or export a trace; take a worked example"),
        "topologies": ("topologies_command:topologies", "List the graphs that models run on, or show one"),
        "prove": ("prove_command:prove", "Prove the specs for every graph, with two solvers"),
    },
    "Hold an implementation against a spec": {
        "validate": (
            "validate_command:validate",
            "Decide whether the snapshots in a real run's log are right",
        ),
        "hold": ("", "Hold a program, a Python class or Flink's handlers against a spec"),
        "run": ("run_command:run", "Run a protocol as processes over sockets, and judge its snapshots"),
        "systems": ("systems_command:systems", "Run, crash and judge Spark, Bytewax and Flink"),
    },
    "Extend it, and keep the gate honest": {
        "init": ("init_command:init", "Write a starter: a plan, a spec, a workflow for CI"),
        "doctor": ("doctor_command:doctor", "List what this machine has of what is needed"),
        "mutate": ("", "Change a spec, its properties or the code, by machine: is it noticed?"),
        "plan": ("", "For the maintainer of a plan: pins, claims, mutants, traces"),
    },
}
"""The commands as `pyharness --help` shows them: where each is, or nothing for a group; and its purpose."""

_TOP: Final = {name: entry for section in _SECTIONS.values() for name, entry in section.items()}
COMMANDS: Final = {
    words: f"pyharness.cli.{place}"
    for name, (place, _) in _TOP.items()
    for words, place in (
        [(name, place)]
        if place
        else [(f"{name} {sub}", inner) for sub, (inner, _) in _SUBCOMMANDS[name].items()]
    )
}
"""Each command by its words, with its module and name: ``pyharness.cli.module:name``."""


def command_of(words: str) -> click.Command:
    """Import the command with these words, such as ``trace replay``."""
    module, name = COMMANDS[words].split(":")
    command = getattr(import_module(module), name)
    if not isinstance(command, click.Command):
        raise TypeError(f"{words} is not a command")
    return command


_OF_THE_MACHINE: Final = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EIO),
    *(errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP),
}
"""Errors of the system that are not a bug of ours: no room, no permission, a disk that fails, a path that is not a file
or not a directory."""


class _Lazy(click.Group):
    """A group that imports a command's module when the command is called.

    It is the group of that name, or else the command line itself, whose help has several sections.
    """

    def __init__(self, name: str | None = None, **options: Any) -> None:
        super().__init__(name, **options)
        own = name in _SUBCOMMANDS
        self._words = f"{name} " if own else ""
        self._sections = {"Commands": _SUBCOMMANDS[str(name)]} if own else _SECTIONS
        self._known = {each: entry for section in self._sections.values() for each, entry in section.items()}
        self._default = DEFAULTS.get(str(name))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._known)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in sections, those that most people want first; no module is loaded for it."""
        for title, commands in self._sections.items():
            with formatter.section(title):
                formatter.write_dl([
                    (name, f"{purpose}{' (where none is named)' if name == self._default else ''}")
                    for name, (_, purpose) in commands.items()
                ])  # fmt: skip

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default command first where no command is named."""
        if self._default and args and args[0] not in {*self._known, "-h", "--help"}:
            args = [self._default, *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._known:
            return None
        place, purpose = self._known[cmd_name]
        if not place:
            return _Lazy(cmd_name, help=f"{purpose}.", no_args_is_help=True)
        return command_of(f"{self._words}{cmd_name}")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is called; an unknown one is an error of ours."""
        if args[0] not in self._known and not args[0].startswith("-"):
            hint = f"`pyharness {self._words}--help` lists them"
            raise SpecError.unknown(
                f"command{f' of {self.name}' if self._words else ''}", args[0], self._known, otherwise=hint
            )
        return super().resolve_command(ctx, args)


class _Main(_Lazy):
    """The command line, in which an error becomes a message and an exit code."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is called; that specs are missing is an error of ours."""
        if args[0] in self._known and args[0] != "doctor":
            require_specs()
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error of ours becomes a message on stderr and its exit code.

        An unforeseen error is a tool failure, with its traceback, and an interrupt is incomplete: neither may
        look like a verdict, and Python's own exit status for both would.
        """
        try:
            _require_here()
            return super().invoke(ctx)
        except HarnessError as error:
            _print_error(str(error))
            ctx.exit(error.exit_code)
        except KeyboardInterrupt as error:
            _print_error(str(error) or "interrupted")
            ctx.exit(IncompleteError.exit_code)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:  # click would exit with 1, which is a verdict's
            _drop_output()
            ctx.exit(IncompleteError.exit_code)
        except OSError as error:
            if error.errno not in _OF_THE_MACHINE:
                self._bug(ctx)
            named = ToolError(
                f"a file cannot be written: {error.strerror}",
                where=str(error.filename) if error.filename else None,
                hint="free some room, or name other directories by --out and TMPDIR",
            )
            _print_error(str(named))
            ctx.exit(named.exit_code)
        except Exception:  # noqa: BLE001 - the exit status of any error must not look like a verdict
            self._bug(ctx)

    @staticmethod
    def _bug(ctx: click.Context) -> NoReturn:
        with suppress(OSError):
            traceback.print_exc()
        _print_error("this is a bug of pyharness; please report it")
        ctx.exit(ToolError.exit_code)


@click.command(cls=_Main, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pyharness")
def cli() -> None:
    """Model-check distributed snapshot algorithms, and hold an implementation against the specs.

    \b
      pyharness validate run-1              are the snapshots in this log right?
      pyharness hold -- ./program           does this program do exactly what the spec allows?
      pyharness check Foo.tla               model-check any module, with the evidence

    Exit codes: 0 pass, 1 violation or nonconformance, 2 usage or bad input, 3 incomplete, 4 a tool failed,
    5 a bug of the tool: two of its parts that decide the same thing do not agree.
    """  # noqa: D301 - click reads the \b


@contextmanager
def finished_work_is_kept() -> Iterator[None]:
    """Have an interrupt report that what has finished is kept, around work of which that is true."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(INTERRUPTED) from None


def _require_here() -> None:
    """Require that the working directory is there; a relative path would be one of nowhere. Raises SpecError."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise SpecError("the working directory was removed", hint="go to one that is there: cd") from None


def _print_error(text: str) -> None:
    """Print an error on stderr; that it cannot be printed changes no exit code."""
    with suppress(OSError):
        click.echo(f"pyharness: {cleaned(text)}", err=True)


def _drop_output() -> None:
    """Discard the output that was not read, or Python would fail once more when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def open_streams() -> None:
    """Open streams that the caller has closed (``>&-``) to nowhere: else files of ours get their numbers, and Java's output."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            lowest = os.open(os.devnull, os.O_RDWR)  # which is the one that is closed
            os.set_inheritable(lowest, True)
            setattr(sys, name, os.fdopen(lowest, mode, encoding="utf-8"))


def main() -> None:
    """Run the command line; a character that the terminal's encoding does not have does not stop it.

    What asks it to end (:mod:`pyharness.base.toolchain.interrupts`) is an interrupt.
    No Python that this process starts imports from the working directory, which may be somebody else's repository.
    """
    open_streams()
    end_as_interrupted()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        # no variable of the environment makes a script for a shell of it, and no verdict: names of others would be in one
        sys.exit(cli(standalone_mode=True, complete_var=""))
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before
