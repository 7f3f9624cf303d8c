# Everything is made in .venv and build/; `make clean` takes it away again.
# Wanted beforehand: Python 3.11+ with headers and venv, a C++20 compiler, PyPI.  cmake and ninja
# come from PyPI.

PYTHON ?= $(shell scripts/find_python.sh)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest
STEP := scripts/step.sh
WORKERS ?= 2
MINUTES ?= 10
EXAMPLES ?= 0.25
PEERS := anjana crowds anonypy pycanon

# Folders too: deleting a file touches its folder.
SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE \
           $(shell find src -not -path '*/__pycache__*' -not -name '*.so')

# The tests look at the installed package, never at src/.
unexport PYTHONPATH
export NO_MKDOCS_2_WARNING = 1
export INCROWD_EXAMPLES = $(EXAMPLES)

# Steps that keep one core busy run side by side, each shown when it is done.  Without -O (make 3.81)
# their lines would mix.
SUBMAKE := $(MAKE) --no-print-directory
SIDE_BY_SIDE := $(if $(filter output-sync,$(.FEATURES)),-j$(WORKERS) -O TOGETHER=1)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo peers test test-fast lint types quick unit doctests docs sanitize fuzz bench format \
        clean
ifndef TOGETHER
.NOTPARALLEL:
endif

help: ## show this list
	@echo "incrowd: every record hides in a crowd of at least k"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.incrowd ## install incrowd and anonymize 30,000 made-up people
	@$(BIN)/incrowd demo

test: ## lint, types, tests, docs, kernels under sanitizers
	@rm -f build/logs/*.time
	@$(SUBMAKE) $(VENV)/.dev $(if $(SPARK),$(VENV)/.spark)
	@$(SUBMAKE) $(SIDE_BY_SIDE) lint types doctests docs build/sanitized/.done
	@$(SUBMAKE) unit sanitize
	@$(STEP) --summary

test-fast: ## the inner loop: lint, types, and the tests that take no time
	@rm -f build/logs/*.time
	@$(SUBMAKE) $(VENV)/.dev
	@$(SUBMAKE) $(SIDE_BY_SIDE) lint types
	@$(SUBMAKE) quick
	@$(STEP) --summary

lint: $(VENV)/.dev ## ruff, clang-format and clang-tidy
	@$(STEP) lint "Lint" scripts/lint.sh $(BIN)

types: $(VENV)/.dev ## mypy, strict
	@$(STEP) types "Types" $(BIN)/mypy

unit: $(VENV)/.dev $(if $(SPARK),$(VENV)/.spark) ## the tests; with SPARK=1 also those of Spark
	@$(STEP) unit "Tests" $(PYTEST) -n $(WORKERS) --dist worksteal -rs

quick: $(VENV)/.dev
	@$(STEP) quick "Quick tests" $(PYTEST) -n $(WORKERS) --quick

doctests: $(VENV)/.dev ## the examples in docstrings
	@$(STEP) doctests "Examples in docstrings" $(PYTEST) --doctest-modules --pyargs incrowd

docs: $(VENV)/.dev ## build the documentation into site/
	@$(STEP) docs "Documentation" $(BIN)/mkdocs build --strict  # with --quiet it forgets to be strict

sanitize: build/sanitized/.done ## the kernel tests under the address and undefined-behaviour sanitizers
	@$(STEP) sanitize "Kernels under sanitizers" scripts/sanitize.sh test $(BIN)/python

fuzz: $(VENV)/.dev ## look for tables that break a promise, for MINUTES=10
	@$(STEP) fuzz "Fuzzing for $(MINUTES) minutes" \
	    env PYTHONPATH=tests $(BIN)/python -m fuzz $(MINUTES) $(SEED)

bench: $(VENV)/.bench peers ## measure incrowd, beside its peers on PyPI
	@INCROWD_PEERS=build/peers $(BIN)/python benchmarks/run.py

peers: $(PEERS:%=build/peers/%/.done) ## install what others have built, to compare with

format: $(VENV)/.dev ## put Python and C++ into shape
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format --quiet .
	@find src -name '*.[ch]pp' -exec $(BIN)/clang-format -i {} +

clean: ## remove all that was made
	@rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find src -name '*.so' -delete
	@find src tests scripts benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# The tools that build a wheel live in the venv, so that the next build only compiles what changed.
$(VENV)/.tools: pyproject.toml scripts/check_machine.sh
	@scripts/check_machine.sh "$(PYTHON)"
	@echo "Making $(VENV)"
	@"$(PYTHON)" -m venv $(VENV)
	@$(PIP) install --upgrade pip
	@$(PIP) install cmake ninja $$($(BIN)/python scripts/build_requirements.py)
	@touch $@

$(VENV)/.incrowd: $(VENV)/.tools $(SOURCES)
	@rm -rf build/wheel
	@$(STEP) build "Building and installing incrowd" \
	    $(PIP) wheel --no-build-isolation --no-deps --wheel-dir build/wheel .
	@$(PIP) install --force-reinstall --no-deps build/wheel/*.whl
	@$(PIP) install build/wheel/*.whl
	@touch $@

$(VENV)/.dev $(VENV)/.bench $(VENV)/.spark: $(VENV)/.%: $(VENV)/.incrowd
	@echo "Installing what $* needs"
	@$(PIP) install "$$(ls build/wheel/*.whl)[$*]"
	@touch $@

build/sanitized/.done: $(VENV)/.dev
	@$(STEP) sanitizers "Building kernels with sanitizers" scripts/sanitize.sh build $(BIN)/python
	@touch $@

# A peer may pin versions (anjana pins all of them) or not say that it needs pandas (crowds): each has
# a venv of its own, or none if it cannot be installed.
build/peers/%/.done:
	@echo "Installing $*"
	@"$(PYTHON)" -m venv build/peers/$*
	@build/peers/$*/bin/python -m pip -qq install $* pandas \
	    || { echo "$* cannot be installed here and is left out."; rm -rf build/peers/$*/bin; }
	@touch $@
