# Everything a developer runs. `make` alone lists the verbs.
#
#   PYTHON   the interpreter to make the virtual environment with (3.11 or newer)
#   VENV     where it goes
#   ARGS     more arguments for pytest or the benchmark:  make test ARGS="-k kueue"

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PYTHON ?= $(shell tools/find_python.sh)
VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?=
DEMO := field-800-a100
export PIP_DISABLE_PIP_VERSION_CHECK := 1

##@ To see it work
.PHONY: demo
demo: setup ## compile a blueprint of 800 GPUs into build/demo, show the tree and the numbers
	$(BIN)/gpupolicy compile blueprints/$(DEMO).yaml --out build/demo --summary

##@ To change it
.PHONY: setup test check fmt golden output schemas bench
setup: $(VENV)/.ready ## the virtual environment, from the lock

test: setup tools ## all tests but those on the test bed, with the real tools that this machine can have
	$(BIN)/pytest -m "not testbed" $(ARGS)

check: setup ## format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fmt: setup ## format the code and sort the imports
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

golden: setup ## write what the golden files should say now; read the diff
	$(BIN)/pytest -q --golden-update tests/test_golden.py

output: setup ## compile every blueprint into output/; read the diff
	$(BIN)/pytest -q --golden-update tests/test_blueprints.py

schemas: setup ## read the CRDs of the pinned upstream releases again into schemas/upstream
	$(BIN)/python tools/upstream_schemas.py

bench: setup ## time and memory against their bounds (ARGS=--report to only print)
	$(BIN)/python -m bench $(ARGS)

##@ To try it on a real control plane
.PHONY: testbed test-testbed
testbed: ## build etcd, Kubernetes, Kueue and Volcano from pinned modules (once, up to 45 minutes)
	@tests/testbed/build.sh

test-testbed: setup tools ## every manifest and what it makes of jobs over time, on them
	$(BIN)/pytest -m testbed tests/testbed $(ARGS)

##@ To keep it up
.PHONY: tools lock wheel clean
tools: ## promtool, amtool, kustomize, helm and the vendors' parsers, into .tools/bin
	@tools/install.sh

lock: setup ## resolve the development environment again, newest versions
	$(BIN)/python -m pip install --quiet 'uv==0.13.9'
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --upgrade \
	  --group dev --generate-hashes --no-annotate --custom-compile-command "make lock" \
	  pyproject.toml --output-file requirements/dev.lock

wheel: setup ## build dist/*.whl
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

clean: ## remove what was built here; the tools' cache outside the tree stays
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .tools
	rm -rf .venv

.PHONY: help
help:
	@awk 'BEGIN {FS = ":.*## "} /^##@ / {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Two stamps, so that a changed setting does not install the lock again.
$(VENV)/.locked: requirements/dev.lock
	@test -n "$(PYTHON)" || { echo "gpupolicy needs Python 3.11 or newer with venv; set PYTHON to one" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements/dev.lock
	@touch $@

$(VENV)/.ready: $(VENV)/.locked pyproject.toml
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@
