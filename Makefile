# make run     installs what is missing, builds, and runs the example task to its end
# make test    lints, builds, and runs all tests
# make chaos   kills every process of a stack after every kind of record, then at random moments in RUNS=300 runs
# make test-browser   has a real browser read the reports (it is installed; SCREENSHOTS=DIR keeps pictures)
# make soak    500 programs of every kind through the sandbox, 500 through a stack (SOAK=500), and what is left of them
# make test-honest   programs over numpy, pandas, scikit-learn and matplotlib in the sandbox; needs the network once
# make lint | build | setup | bench | corpus | fuzz | clean
#
# TASK=path/to/task.toml chooses another task for `make run`; CARGO_FLAGS= lets a changed Cargo.toml update the lock.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := run
.NOTPARALLEL:

export INTERLOCK_CACHE := $(or $(INTERLOCK_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/interlock)
# The fetched tools come first; rustup's folder comes last, for shells that have not read its env file yet.
export PATH := $(INTERLOCK_CACHE)/tools/bin:$(PATH):$(HOME)/.cargo/bin
export PYTHONDONTWRITEBYTECODE := 1

CARGO_FLAGS ?= --locked
TASK ?= tests/tasks/digits/task.toml
RUNS ?= 300
TARGET := $(or $(CARGO_TARGET_DIR),target)
PYTHON := $(or $(wildcard /usr/bin/python3),python3)
PYTHON_SOURCES := services/domain/python services/pysource/python services/sandbox/python services/verifier/python deploy/local \
  tests/corpus tests/mutation tests/soak services/sandbox/tests/pod
SHELL_SOURCES := .ci/run $(shell find deploy -name '*.sh')

.PHONY: run test test-browser test-honest chaos soak lint build setup bench corpus fuzz clean

run: build
	@$(TARGET)/debug/interlock run $(TASK)

setup:
	@deploy/local/setup.sh

build: setup
	@cargo build $(CARGO_FLAGS) --workspace --bins

# Programs and tests are built in one go, so that the end-to-end tests start exactly these programs.
test: setup
	@if cargo clippy --version >/dev/null 2>&1 && cargo fmt --version >/dev/null 2>&1; then \
		$(MAKE) --no-print-directory lint; \
	else \
		echo 'lint is left out: rustup component add clippy rustfmt'; \
	fi
	@cargo build $(CARGO_FLAGS) --workspace --bins --tests
	@if cargo nextest --version >/dev/null 2>&1; then \
		cargo nextest run $(CARGO_FLAGS) --workspace; \
	else \
		cargo test $(CARGO_FLAGS) --workspace; \
	fi
	@$(PYTHON) -m unittest discover -s services/domain/python/tests -t services/domain/python
	@deploy/local/tests/setup_test.sh

# A browser is some 400 MB of packages that nothing else here needs: it is no part of `make test`.
SCREENSHOTS ?=
test-browser: setup
	@browser=$$(deploy/local/browser.sh); \
	if [[ -n '$(SCREENSHOTS)' ]]; then mkdir -p '$(SCREENSHOTS)'; export INTERLOCK_SCREENSHOTS='$(abspath $(SCREENSHOTS))'; fi; \
	INTERLOCK_BROWSER=$$browser cargo test $(CARGO_FLAGS) -p interlock-cli --features browser --test browser

# The short form is part of `make test`; a run that goes wrong names the seed that does it again.
chaos: setup
	@cargo build $(CARGO_FLAGS) --workspace --bins --tests
	@INTERLOCK_CHAOS=$(RUNS) cargo test $(CARGO_FLAGS) --workspace --test matrix -- --nocapture

# HONEST=path/to/requirements.lock chooses other packages, such as torch.
test-honest: setup
	@cargo build $(CARGO_FLAGS) --workspace --bins
	@$(TARGET)/debug/interlock-honest $(HONEST)

# The short form is part of `make test`.
SOAK ?= 500
soak: setup
	@cargo build $(CARGO_FLAGS) --workspace --bins
	@$(TARGET)/debug/interlock-soak $(SOAK)
	@$(PYTHON) tests/soak/stack.py --interlock $(TARGET)/debug/interlock --runs $(SOAK)

lint: setup
	@cargo fmt --all --check
	@cargo clippy $(CARGO_FLAGS) --workspace --all-targets -- -D warnings
	@ruff check --no-cache $(PYTHON_SOURCES)
	@ruff format --no-cache --check $(PYTHON_SOURCES)
	@if command -v shellcheck >/dev/null; then shellcheck $(SHELL_SOURCES); fi

# The programs beside the benchmark are the ones it measures.
bench: setup
	@cargo build $(CARGO_FLAGS) --release --workspace --bins
	@$(TARGET)/release/interlock-bench

# Packages that work: what is found in them is explained, or a false alarm.
CORPUS ?= $(HOME)/.cache/interlock/corpus
corpus: setup
	@cargo build $(CARGO_FLAGS) --workspace --bins
	@$(PYTHON) tests/corpus/run.py --cache $(CORPUS) --interlock $(TARGET)/debug/interlock

# Each target for MINUTES minutes; coverage alone, so that the stable toolchain is enough.
MINUTES ?= 10
FUZZ ?= $(HOME)/.cache/interlock/fuzz
fuzz:
	@command -v cargo-fuzz >/dev/null || cargo install cargo-fuzz
	@for target in record path extract rules tree; do \
	  mkdir -p $(FUZZ)/$$target && \
	  cargo fuzz run -s none --fuzz-dir tests/fuzz/driver --target-dir $(FUZZ)/target $$target \
	    $(FUZZ)/$$target tests/fuzz/cases/$$target -- -max_total_time=$$(($(MINUTES) * 60)) -timeout=20 -max_len=16000 \
	    || exit 1; \
	done

clean:
	@cargo clean
