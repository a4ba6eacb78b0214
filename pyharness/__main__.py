"""``python -m pyharness``."""

from pyharness.cli.main import main

if __name__ == "__main__":
    main()
