"""The beginning of the command ``pyharness``, and of ``python -m pyharness``."""

import signal


def run() -> None:
    """Import the command line, and run it; until it is there an interrupt ends the process, without a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from pyharness.cli.main import main  # noqa: PLC0415 - this takes a while

    main()


if __name__ == "__main__":
    run()
