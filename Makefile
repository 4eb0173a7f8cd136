# The only set-up a fresh machine needs: `make test` or `make demo`. Python >= 3.11 and make must be there.

PYTHON ?= python3
VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= 2
FUZZED ?= 100000
export PATH := $(BIN):$(PATH)

.PHONY: help install system check test demo fault-matrix mutations fuzz benchmark docs lock clean

help:
	@echo "make test          install what is needed, then lint, type-check and test everything"
	@echo "make demo          the emulated fabric: playbook, three drifts made by hand, check, repair (4 minutes)"
	@echo "                   make demo FABRIC=ibpod: InfiniBand, with a real subnet manager"
	@echo "make fault-matrix  every bad day of a change on every platform, as a table (5 minutes)"
	@echo "make mutations     every change by hand that the lab knows: found, and nothing else (1 minute)"
	@echo "make fuzz          100,000 damaged answers per platform: no traceback, no match where something was lost"
	@echo "make benchmark     speed and memory against what operators use today (2 minutes)"
	@echo "make docs          write the generated pages of docs/ again"
	@echo "make lock          resolve requirements.lock again from pyproject.toml"

install: $(READY)

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	@$(PYTHON) -c 'import ensurepip' || { echo "Python has no venv: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

system:
	@.ci/system-packages

check: $(READY)
	ruff check .
	ruff format --check .
	mypy
	lint-imports
	ansible-lint --offline

# pytest comes last: its summary is the last line of the output.
test: system check
	python -m pytest -n $(WORKERS)

demo: $(READY)
	@docs/demo$(if $(FABRIC),_$(FABRIC)).sh

fault-matrix: $(READY)
	@python -m tests.faults.matrix

mutations: $(READY)
	@python -m tests.mutations.table

fuzz: $(READY)
	@python -m tests.fuzz.run $(FUZZED)

benchmark: $(READY)
	@python benchmarks/run.py

docs: $(READY)
	python docs/build.py

lock: $(READY)
	uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-annotate --no-header \
	  --group dev pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
