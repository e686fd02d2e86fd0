# One command each, from nothing: the virtual environment, the packages and what the tests need are made when missing.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
# Tests and benchmarks start hundreds of processes: each would compile all modules anew.
export PYTHONDONTWRITEBYTECODE :=
RUNTIME := .venv/.runtime
DEV := .venv/.dev
# What is left when one is done is shared; else neighbours stay together, with what they set up.
TWO := --numprocesses 2 --dist worksteal
FAST := tests/core tests/storage tests/mcp_tools tests/config tests/adapters/jobs tests/test_docs.py tests/test_settings.py
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: help demo test test-fast nightly fresh check bench world pictures reference clean

help: ## what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/make \1\t\2/' | expand -t 14

demo: $(RUNTIME) ## from nothing to the timeline of the bundled sample video
	@$(BIN)/vaider analyse samples/checkout.mp4

test: $(DEV) ## from nothing to all tests passed
	@scripts/system-packages
	$(BIN)/pytest $(TWO)

test-fast: $(DEV) ## the rules, the storage, the jobs and the tools alone; needs no program
	$(BIN)/pytest $(TWO) -m "not nightly and not screen and not programs" $(FAST)

nightly: $(DEV) ## all tests, those that take long too
	@scripts/system-packages
	$(BIN)/pytest $(TWO) -m "nightly or not nightly" --hypothesis-profile nightly
	@python3 scripts/fresh --where-possible

fresh: ## the README's commands and the images, on a Debian that has nothing; STEPS="demo uv" for some
	@python3 scripts/fresh $(STEPS)

check: $(DEV) ## lint, formatting, types, import arrows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: $(DEV) ## every table of docs/benchmarks.json, measured anew
	@scripts/system-packages
	$(BIN)/python -m bench

world: $(DEV) ## recordings of applications that others wrote, installed and recorded anew into bench/out/world
	@scripts/system-packages
	@bench/world/install
	$(BIN)/python -m bench.world.record

pictures: $(DEV) ## every page of the dashboard in two sizes and both themes; eight go into the documents
	@scripts/system-packages
	$(BIN)/python scripts/pictures

reference: $(DEV) ## docs/reference, written from the code
	$(BIN)/python scripts/reference

clean: ## forget the virtual environment and what the benchmarks made
	rm -rf .venv bench/out tests/out

# pip, for Debian's Python leaves an environment without it where python3-venv is missing.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit("Vaider needs Python 3.11 or newer: make PYTHON=python3.12 …" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv --clear .venv

$(RUNTIME): $(BIN)/pip pyproject.toml constraints.txt hatch_build.py
	@echo "installing Vaider into .venv"
	@$(PIP) --editable .
	@touch $@

$(DEV): $(BIN)/pip pyproject.toml constraints.txt hatch_build.py
	@echo "installing Vaider and its tools into .venv"
	@$(PIP) --editable '.[dev]'
	@touch $@ $(RUNTIME)
