# Two commands matter: `make run` and `make test`. README.md says the rest.
#
#   make run [ROBOT=ur5] [ARGS="--port 8090"]   install on first use, serve the page, open a browser
#   make setup                                  only the installation that `make run` needs
#   make test                                   lint, format, types, import contract, all tests
#   make bench                                  measure, print a table, write build/bench.json
#   make screenshots                            take the README's pictures from the running page
#   make format                                 let ruff rewrite what it can

ROBOT ?= panda
ARGS ?=
# Three for two cores: one of them mostly waits for a browser.
PYTEST_ARGS ?= --numprocesses 3 --dist loadscope
SHELL := /bin/sh
.DEFAULT_GOAL := help

# The first interpreter that is new enough; `make PYTHON=...` overrides.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))' >/dev/null 2>&1 \
	&& { echo $$p; break; }; done)

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
RUN_STAMP := $(VENV)/.installed-run
TEST_STAMP := $(VENV)/.installed-test

.PHONY: help run setup test bench screenshots format lint types contracts unit clean

help:
	@sed -n '3,8s/^#   //p' Makefile

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 to 3.14 is needed: install one (Debian: apt install python3 python3-venv) or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv module is missing: install it (Debian: apt install python3-venv)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(RUN_STAMP): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing into $(VENV) ..."
	@$(PIP) install --quiet --constraint constraints.txt --editable .
	@touch $@

$(TEST_STAMP): pyproject.toml constraints.txt tests/install_peers.py $(RUN_STAMP)
	@$(PIP) install --quiet --constraint constraints.txt --editable '.[dev,xacro]'
	@$(BIN)/python tests/install_peers.py
	@touch $@

setup: $(RUN_STAMP)

# In a terminal the page gets a process group of its own, so that Ctrl+C reaches it alone and
# `make` reports the status that it ended with instead of an interrupt.
run: $(RUN_STAMP)
	@if [ -t 0 ] && [ -t 1 ]; then set -m; fi; $(BIN)/workbench serve $(ROBOT) $(ARGS)

lint: $(TEST_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(TEST_STAMP)
	$(BIN)/pyright --pythonpath $(BIN)/python

contracts: $(TEST_STAMP)
	$(BIN)/lint-imports

unit: $(TEST_STAMP)
	$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m pytest $(PYTEST_ARGS)

# The types are checked beside the tests, which leave half of two cores idle.
test: lint contracts
	@$(MAKE) --no-print-directory --jobs=2 types unit

bench: $(TEST_STAMP)
	$(BIN)/python -m tests.bench

screenshots: $(TEST_STAMP)
	$(BIN)/python -m tests.browser.screenshots

format: $(TEST_STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist
