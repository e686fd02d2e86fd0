# One command each, from nothing: the virtual environment, the packages and what the tests need are made when missing.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
RUNTIME := .venv/.runtime
DEV := .venv/.dev
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: help demo test nightly check bench pictures clean

help: ## what there is
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/make \1\t\2/' | expand -t 14

demo: $(RUNTIME) ## from nothing to the timeline of the bundled sample video
	@$(BIN)/vaider analyse samples/checkout.mp4

test: $(DEV) ## from nothing to all tests passed
	@scripts/system-packages xvfb openbox x11vnc chromium xterm fonts-dejavu-core ffmpeg strace postgresql
	$(BIN)/pytest --numprocesses 2

nightly: $(DEV) ## all tests, those that take long too
	@scripts/system-packages xvfb openbox x11vnc chromium xterm fonts-dejavu-core ffmpeg strace postgresql
	$(BIN)/pytest --numprocesses 2 -m "nightly or not nightly"

check: $(DEV) ## lint, formatting, types, import arrows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: $(DEV) ## every number of docs/benchmarks.md, measured anew
	@scripts/system-packages xvfb openbox chromium xterm fonts-dejavu-core ffmpeg xdotool
	$(BIN)/python -m bench

pictures: $(DEV) ## the screenshots of the documents, as a test of the dashboard made them
	@scripts/system-packages xvfb openbox chromium fonts-dejavu-core
	$(BIN)/pytest -m nightly tests/dashboard/test_newcomer.py
	$(BIN)/python scripts/pictures

clean: ## forget the virtual environment and what the benchmarks made
	rm -rf .venv bench/out tests/out

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("Vaider needs Python 3.11 or newer: make PYTHON=python3.12 …" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv .venv

$(RUNTIME): .venv/bin/python pyproject.toml constraints.txt
	@echo "installing Vaider into .venv"
	@$(PIP) --editable .
	@touch $@

$(DEV): .venv/bin/python pyproject.toml constraints.txt
	@echo "installing Vaider and its tools into .venv"
	@$(PIP) --editable '.[dev]'
	@touch $@ $(RUNTIME)
