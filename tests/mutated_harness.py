"""Try mutants of the harness's own code on its tests: ``python -m tests.mutated_harness FILES TESTS``.

A mutant that no test notices shows a gap of the tests, or code that does nothing. All run in children of one process
that has collected the tests: first each file of tests as it is, which must pass, and is watched for the functions that
it runs; then each mutant with the tests that run its function, and with all others of the same files, because what
the first test of a file computes may be kept for them. Programs that a test starts run the code as it is.
"""

from __future__ import annotations

import argparse
import gc
import os
import pickle
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import click
import pytest

from pyharness.base.toolchain.kept_texts import KeptTexts
from pyharness.base.toolchain.seal import own_cache
from pyharness.machines.replay import wander
from pyharness.mutants.code.code_mutants import Reached, code_mutants, function_of, swap
from tests import shared_tlc

ROOT = Path.cwd()


class Trials:
    """Takes the place of pytest's loop over the tests, and tries some mutants on them."""

    def __init__(self, mutants, longest):
        self.mutants, self.longest, self.found = mutants, longest, Counter()

    def pytest_runtestloop(self, session):
        gc.freeze()
        watched = {}
        for path in dict.fromkeys(item.path for item in session.items):
            own = [item for item in session.items if item.path == path]
            if not (noted := in_a_child(lambda own=own: self.watch(own))):
                pytest.exit(f"{path}: these tests do not pass, or not alone", 1)
            watched |= noted
        click.echo()
        quick = [item for item in session.items if watched[item.nodeid][0] <= self.longest]
        for mutant in self.mutants:
            verdict = self.verdict(mutant, quick, watched)
            self.found[verdict] += 1
            click.echo(f"{verdict}: line {mutant.line} of {mutant.id}")
        return True

    def watch(self, items):
        """Return of each test how long it took and which functions it ran, or nothing if one failed."""
        wanted = {(mutant.file, mutant.function) for mutant in self.mutants}
        noted = {}
        for item, following in zip(items, [*items[1:], None], strict=True):
            began = time.monotonic()
            with Reached(ROOT) as reached:
                passed = passes(item, following)
            if not passed:
                reporter = item.config.pluginmanager.get_plugin("terminalreporter")
                reporter.summary_errors()
                reporter.summary_failures()
                return None
            noted[item.nodeid] = (time.monotonic() - began, reached.functions & wanted)
        return noted

    def verdict(self, mutant, quick, watched):
        runs_it = [item for item in quick if (mutant.file, mutant.function) in watched[item.nodeid][1]]
        files = {item.path for item in runs_it}
        judges = runs_it + [item for item in quick if item.path in files and item not in runs_it]
        if not judges:
            return "survives, not run"
        function = function_of(mutant.file, mutant.function, "")
        before, seconds = function.__code__, 10 + 3 * sum(watched[item.nodeid][0] for item in judges)
        swap(mutant, ROOT, "")
        try:
            return "survives" if in_a_child(lambda: judged(judges), int(seconds)) else "killed"
        finally:
            function.__code__ = before


def judged(items):
    """Return whether all tests pass. They keep nothing, for it would be named after the code as it is."""
    own, keep = own_cache(), KeptTexts.keep
    KeptTexts.keep = lambda texts, *given: (texts._directory or ROOT).parent == own or keep(texts, *given)
    wander.own_cache = lambda: None  # and walks that are kept are walked anew
    shared_tlc.write_bytes = lambda *_: None
    items[0].config.pluginmanager.unregister(name="terminalreporter")
    return all(map(passes, items, [*items[1:], None]))


def passes(item, following):
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    return not item.session.testsfailed


def in_a_child(work, seconds=0):
    """Return what some work gives in a child of this process; nothing if it fails, or takes more seconds than given."""
    with tempfile.TemporaryFile() as answer:
        child = os.fork()
        if not child:
            try:
                os.setpgrp()
                signal.alarm(seconds)
                signal.signal(
                    signal.SIGINT, signal.default_int_handler
                )  # that of a background job is ignored
                pickle.dump(work(), answer)
                answer.flush()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # programs that it has left
        answer.seek(0)
        given = answer.read()
    return pickle.loads(given) if given else None  # noqa: S301 - written above


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", nargs="+", help="files or directories of code, and of tests")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=40, help="the number of them, drawn by lot")
    parser.add_argument("--longest", type=float, default=3, help="tests that take more seconds do not judge")
    given = parser.parse_args()
    tests = [place for place in given.places if "test" in Path(place).parts[0]]
    code = [ROOT / place for place in given.places if place not in tests]
    files = [file for place in code for file in (sorted(place.rglob("*.py")) if place.is_dir() else [place])]
    mutants = [mutant for file in files for mutant in code_mutants(file, ROOT)]
    drawn = random.Random(given.seed).sample(mutants, min(given.mutants, len(mutants)))
    trials = Trials(drawn, given.longest)
    status = pytest.main(["-q", "-p", "no:cacheprovider", "--hypothesis-seed=1", *tests], plugins=[trials])
    for verdict, number in sorted(trials.found.items()):
        click.echo(f"{number} of {len(drawn)} mutants, of {len(mutants)} that there are: {verdict}")
    return status


if __name__ == "__main__":
    sys.exit(main())
