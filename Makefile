# Everything a clone needs: `make` prints the targets, `make setup` builds .venv, every other target builds it first
# when it is missing or out of date. Only python3 (3.11 or newer) and make have to be there.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
PROVE  := $(VENV)/.installed-prove
FLINK  := $(VENV)/.installed-flink
SITE   := $(VENV)/.installed-site
BENCH  := $(VENV)/.installed-bench
SYSTEMS := $(VENV)/.installed-systems
SPARK  := build/spark-classes.jsa
TESTS  ?= tests
SEED   ?= 1
KILLS  ?= 200
SEQUENCES ?= 4000
MUTATE := nice $(BIN)/pyharness mutate --seconds 5400 --survivors specs/survivors.toml
SPREAD := -n auto --maxprocesses 6
APART := tests/show/browser tests/package tests/lab/runtime tests/security/test_spark_ports.py \
  tests/base/toolchain/test_archive.py tests/cli/test_interrupts.py \
  tests/gate/jobs/test_spark_session.py $(addprefix tests/gate/pipeline/,test_faults.py test_local_tasks.py)
REAL  := tests/hold/flink tests/lab/real_systems
UV     := uv==0.13.8

MIN_PYTHON := import sys; sys.exit(sys.version_info < (3, 11))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: FORCE help setup doctor mutation self-mutation weaken soak check check-full gate prove inductive coq flink systems systems-extras systems-quick test test-apart test-long faults lint types format traces docs figures check-figures update site screenshots bench lock clean

help: ## print this list
	@echo "make TARGET  (PYTHON=... names another interpreter, TESTS=... other tests)"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' Makefile

setup: $(STAMP) ## create .venv from the hash-locked requirements/core.txt, once

# setuptools comes first, from the same lock, because pyspark is built with it; nothing is fetched without a hash.
$(STAMP): requirements/core.txt pyproject.toml
	@"$(PYTHON)" -c "$(MIN_PYTHON)" 2>/dev/null || { \
	  found=`"$(PYTHON)" --version 2>&1 || :`; \
	  echo "setup: needs Python 3.11 or newer, but '$(PYTHON)' is: $${found:-not found}" >&2; \
	  echo "       name another one: make setup PYTHON=/path/to/python3.12" >&2; exit 1; }
	@{ [ ! -s $@ ] || [ "`cat $@`" = "$(CURDIR)" ]; } && "$(BIN)/python" -c "$(MIN_PYTHON)" 2>/dev/null || \
	  "$(PYTHON)" -m venv --clear $(VENV) || { \
	  echo "setup: '$(PYTHON) -m venv' failed; on Debian and Ubuntu, install python3-venv" >&2; exit 1; }
	@awk '/^[a-z]/ { keep = /^setuptools==/ } keep' requirements/core.txt > $(VENV)/build-requirements.txt
	"$(BIN)/python" -m pip install --quiet --require-hashes -r $(VENV)/build-requirements.txt
	"$(BIN)/python" -m pip install --quiet --require-hashes --no-build-isolation --use-pep517 -r requirements/core.txt
	"$(BIN)/python" -m pip install --quiet --no-deps --no-build-isolation --no-index --editable .
	@pwd -P > $@

# Where a clone was copied or moved with its .venv, that runs the code of the other one.
ifneq ($(shell cat $(STAMP) 2>/dev/null),$(CURDIR))
$(STAMP): FORCE
endif

doctor: $(STAMP) ## say what is here and what is missing
	$(BIN)/pyharness doctor

check: $(STAMP) ## at every save: a cover of the quick plan, chosen by machine (a minute and a half)
	$(BIN)/pyharness check quick --cover

check-full: $(STAMP) ## model-check the full plan
	$(BIN)/pyharness check full

gate: $(STAMP) ## for a change: the quick plan, with what CI reads in build/quick: junit.xml, summary.md, failures/
	$(BIN)/pyharness check quick --ci

# The solvers are an extra with a lock of its own: not everyone needs them.
prove: $(PROVE) ## prove the specs for every graph, and refute every seeded bug: build/proof
	$(BIN)/pyharness prove --mutants --out build/proof

inductive: $(STAMP) ## let TLC take one step from every small state that satisfies an inductive invariant, and with seeded bugs
	$(BIN)/pyharness check inductive --only 'inductive-*'  # that each conjunct catches a bug is asked of quick alone

# The obligations, as Coq text, are made anew each time; the proofs that take them as hypotheses are compiled in this order.
COQ := Structures Obligations Behaviours Sequences WhiteRed ChandyLamport ChandyLamportHolds ChandyLamportEnds

coq: $(STAMP) ## let Coq check what leads from the obligations to behaviours and sequences (needs coqc)
	@command -v coqc >/dev/null || { \
	  echo "coq: coqc is missing; on Debian and Ubuntu: apt-get install --no-install-recommends coq (138 MB to fetch)" >&2; exit 1; }
	@mkdir -p build/coq
	$(BIN)/python -m pyharness.prove.coq_obligations build/coq/Obligations.v
	cp specs/coq/*.v build/coq
	cd build/coq && for file in $(COQ); do coqc -Q . Snapshots $$file.v || exit 1; done
	cd build/coq && coqc -Q . Snapshots Assumptions.v > assumptions.txt
	@if grep -v '^Closed under the global context$$' build/coq/assumptions.txt || \
	  [ `wc -l < build/coq/assumptions.txt` -ne `grep -c '^Print Assumptions' specs/coq/Assumptions.v` ]; then \
	  echo "coq: a theorem assumes what it does not name, or was not asked what it assumes" >&2; exit 1; fi
	@echo "`wc -l < build/coq/assumptions.txt` theorems: closed under the global context"

$(PROVE): $(STAMP) requirements/prove.txt
	"$(BIN)/python" -m pip install --quiet --require-hashes --no-deps -r requirements/prove.txt
	@touch $@

flink: $(FLINK) ## install the extra for Flink, and hold its own handlers against the spec (SEQUENCES=1000 for less)
	PYHARNESS_FLINK=required $(BIN)/python -m pytest -q $(SPREAD) tests/hold/flink
	$(BIN)/pyharness hold flink --transitions
	$(BIN)/pyharness hold flink --mode unaligned --mode timeout --own-alignment --transitions
	$(BIN)/pyharness hold flink --length 4
	$(BIN)/pyharness hold flink --pending 50
	$(BIN)/pyharness hold flink --inputs 3 --ids 3 --random $(SEQUENCES)
	$(BIN)/pyharness hold flink --mode unaligned --mode timeout --inputs 3 --ids 3 --own-alignment --random $(SEQUENCES)
	$(BIN)/pyharness hold flink --no-checkpoints-after-ends --inputs 3 --ids 3 --random 1000

# Its 330 MB are for those who ask for them, so they are not in requirements/core.txt.
$(FLINK): requirements/flink.txt $(STAMP)
	"$(BIN)/python" -m pip install --quiet --no-deps --require-hashes -r requirements/flink.txt
	@touch $@

systems-extras: $(SYSTEMS) $(FLINK)

systems-quick: systems-extras ## install Bytewax and the extra for Flink, and kill Spark, Bytewax and Flink a few times
	PYHARNESS_SYSTEMS=required $(BIN)/python -m pytest -q $(SPREAD) tests/lab/real_systems

# Spark starts once for each kill, in half the time with the archive of its classes.
systems: systems-quick ## run, kill and judge Spark, Bytewax and Flink (hours; KILLS=5 for less)
	@if ! [ -e $(SPARK) ] || [ $(STAMP) -nt $(SPARK) ]; then $(BIN)/python tests/spark_classes.py; fi
	JAVA_TOOL_OPTIONS="-XX:SharedArchiveFile=$(CURDIR)/$(SPARK) -Xlog:disable" \
	  $(BIN)/pyharness systems spark-batches --seed $(SEED) --kills $(KILLS)
	$(BIN)/pyharness systems bytewax --seed $(SEED) --crashes 1000 --kills $(KILLS)
	$(BIN)/pyharness systems spark-epochs --seed $(SEED) --sequences 20000
	$(BIN)/pyharness systems flink-log --seed $(SEED) --kills $(KILLS)
	$(BIN)/pyharness systems --page docs/reference/systems.md

$(SYSTEMS): requirements/systems.txt $(STAMP)
	"$(BIN)/python" -m pip install --quiet --no-deps --require-hashes -r requirements/systems.txt
	@touch $@

# Other readers of TLC's states, for the benchmarks alone; two are source distributions, built with the locked setuptools.
$(BENCH): $(STAMP) requirements/bench.txt
	"$(BIN)/python" -m pip install --quiet --require-hashes --no-deps --no-build-isolation --use-pep517 -r requirements/bench.txt
	@touch $@

test: RUN := -m "not long" --junit-xml=build/tests.xml $(if $(filter tests,$(TESTS)),$(patsubst %,--ignore=%,$(APART) $(REAL))) $(TESTS)
test: $(STAMP) ## run the tests, on all cores; those of real systems are run by flink and systems-quick

# By files: an installed wheel, or a page in a browser, is made once for the tests of its file.
test-apart: DIST := loadscope
test-apart: RUN := -m "not long" $(APART)
test-apart: $(STAMP) ## run the tests of pages in Chromium, of Spark's and other processes, and of the installed wheel

# More cases of what others show in few, and faults.
test-long: RUN := -m long tests
test-long: $(STAMP) ## run the tests that the other two leave out for the time that they take

test test-apart test-long:
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest $(SPREAD) --dist $(or $(DIST),worksteal) $(RUN)

# Kills at random moments on Spark's local cluster, and full disks.
faults: $(STAMP) ## break runs on clusters, ten rounds of each fault (half an hour)
	PYHARNESS_FAULTS=10 $(BIN)/python -m pytest -q --durations=0 tests/gate/pipeline/test_faults.py

# The same seed makes the same inputs; tests/security has a few seconds of it.
fuzz: $(STAMP) ## give each reader of files broken ones, 100,000 in all (a quarter of an hour)
	$(BIN)/python -m tests.security.fuzz_readers --inputs 100000 --seed 1

lint: $(STAMP) ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) ## mypy --strict
	$(BIN)/mypy

format: $(STAMP) ## let ruff fix and format
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

traces: $(STAMP) ## regenerate traces/
	$(BIN)/pyharness plan traces

docs: $(STAMP) ## regenerate the parts of docs/ that are made from the code
	PYTHONPATH=. $(BIN)/python tests/docs/reference_pages.py

figures: $(STAMP) ## put the figures of a run of the quick plan into the pages that show it
	$(BIN)/python tests/docs/run_figures.py

check-figures: $(STAMP) ## tell which pages show other figures than a run of the quick plan
	$(BIN)/python tests/docs/run_figures.py --check

# What differs from what is committed ends a check with 3, and is written down next. The order matters: the pins come from
# the run, the weakenings from the pins, the pages from all of them.
update: $(PROVE) ## rewrite everything that follows from specs and code (half an hour; what did not change is taken over)
	$(BIN)/pyharness prove --update
	$(BIN)/pyharness prove --held-against-tlc --out specs/proofs || [ $$? -eq 3 ]
	$(BIN)/pyharness prove --mutants --out build/proof
	$(BIN)/pyharness check quick || [ $$? -eq 3 ]
	$(BIN)/pyharness plan pins quick --update
	$(BIN)/pyharness mutate property quick --update
	$(BIN)/pyharness mutate premise quick --update
	$(BIN)/pyharness plan pins quick --update
	$(BIN)/pyharness plan traces
	PYTHONPATH=. $(BIN)/python tests/docs/reference_pages.py
	$(BIN)/pyharness plan claims --update
	$(BIN)/python tests/docs/run_figures.py

# The pages link to each other and to nothing that has to be fetched; a link that leads nowhere is an error.
site: $(SITE) ## the documentation as pages with search: build/site/index.html
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -c docs -b html . build/site
	@echo build/site/index.html

$(SITE): $(STAMP) requirements/site.txt
	"$(BIN)/python" -m pip install --quiet --require-hashes --no-deps -r requirements/site.txt
	@touch $@

screenshots: $(STAMP) ## take the screenshots in docs/images anew (needs chromium)
	PYTHONPATH=. $(BIN)/python tests/docs/screenshots.py

mutation: $(STAMP) ## change the protocols in one place at a time: are all changes seen? (an hour; goes on where it stopped)
	nice $(BIN)/pyharness mutate code quick full
	$(MUTATE) ChandyLamport --topology ring:2 --items 1
	$(MUTATE) WhiteRed --model white-red-full-actions --topology ring:2 --items 1
	$(MUTATE) StopTheWorld --topology ring:2 --items 1
	$(MUTATE) Snapshots --model snapshots-one-at-a-time --topology ring:2 --items 1
	$(MUTATE) AlignedBarriers --model aligned-barriers-full-actions --topology join:3 --topology pipeline:2 --constant Records=1
	$(MUTATE) UnalignedBarriers --model unaligned-barriers-full-actions --topology join:3 --constant Records=1
	$(MUTATE) TimeoutBarriers --model timeout-barriers-full-actions --topology join:3 --topology pipeline:2 --constant Records=1
	$(MUTATE) CyclicBarriers --model cyclic-barriers-full-actions --topology loop:4 --constant Records=1
	$(MUTATE) AtLeastOnceBarriers --model at-least-once-full-actions --topology join:3 --topology pipeline:2 --constant Records=1
	$(MUTATE) Checkpoints --model checkpoints-two-crashes --model checkpoints-at-least-once --model checkpoints-cancel --model checkpoints-uploads-one-at-a-time --model checkpoints-announced --model checkpoints-unaligned-two-records-crash --model checkpoints-savepoint --model checkpoints-cyclic
	$(MUTATE) Collection --model collection-terminated --topology ring:2
	$(MUTATE) specs/recovering/RecoveringBarriers.tla --constant Restored=1

HARNESS := nice $(BIN)/python -m tests.mutated_harness --seed $(SEED)
self-mutation: $(STAMP) ## change the harness in some places, drawn by lot (SEED=1): which changes does no test see? (an hour)
	$(HARNESS) pyharness/hold/logs tests/hold/logs
	$(HARNESS) pyharness/hold/programs tests/hold/programs
	$(HARNESS) pyharness/hold/conformance tests/hold/conformance
	$(HARNESS) pyharness/gate/judge tests/gate/judge tests/test_claims.py tests/machines/replay/test_divergence.py
	$(HARNESS) pyharness/machines/replay tests/machines/replay tests/gate/examples
	$(HARNESS) pyharness/tla/tlc pyharness/tla/values tests/tla/tlc tests/tla/values
	$(HARNESS) pyharness/tla/plain_models pyharness/models/spec_check.py pyharness/models/second_opinion.py pyharness/models/formula_evaluation.py tests/models tests/tla/plain_models

weaken: $(STAMP) ## weaken the properties in one place at a time, put seeded bugs into the specs: is it noticed? (minutes)
	nice $(BIN)/pyharness mutate property quick
	nice $(BIN)/pyharness mutate premise quick
	nice $(BIN)/pyharness mutate bug quick

soak: $(STAMP) ## walk at random through larger graphs for an hour, then run and break systems for some (SEED=...)
	nice $(BIN)/pyharness plan wander --seconds 3000 --seed $(SEED)
	nice $(BIN)/pyharness plan wander --seconds 600 --seed $(SEED) --states 6 --first-order
	PYHARNESS_TAMPERED=1 nice $(BIN)/python -m pytest -q tests/hold/logs/test_tlc_agreement.py
	nice $(BIN)/python -m tests.lab.runtime.good_runs --runs 200 --seed $(SEED)
	nice $(BIN)/python -m tests.lab.runtime.bug_runs --runs 10

bench: $(BENCH) ## run every benchmarks/bench_*.py, and make a page of their figures: build/bench/index.html
	@set -e; found=; for script in benchmarks/bench_*.py; do \
	  [ -f "$$script" ] || continue; found=yes; \
	  echo "== $$script"; $(BIN)/python "$$script"; \
	done; [ "$$found" ] || { echo "bench: there is no benchmarks/bench_*.py" >&2; exit 1; }
	@$(BIN)/python benchmarks/page.py

lock: ## regenerate requirements/*.txt from requirements/*.in, keeping pins that still fit
	@set -e; tmp=`mktemp -d`; trap 'rm -rf "$$tmp"' EXIT; \
	"$(PYTHON)" -m venv "$$tmp"; "$$tmp/bin/python" -m pip install --quiet '$(UV)'; \
	for name in core $(patsubst requirements/%.in,%,$(filter-out requirements/core.in,$(wildcard requirements/*.in))); do \
	  locked=requirements/core.txt; [ $$name != core ] || locked=requirements/core.in; \
	  "$$tmp/bin/uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --custom-compile-command 'make lock' --constraint $$locked requirements/$$name.in --output-file requirements/$$name.txt; \
	done

clean: ## remove caches and build output (not .venv)
	rm -rf build pyharness.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf states spark-warehouse metastore_db derby.log
	find . -path ./$(VENV) -prune -o -path ./.git -prune -o -type d -name __pycache__ -exec rm -rf {} +
