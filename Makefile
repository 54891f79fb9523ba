# Two commands on a fresh machine do all the set-up: `make demo` and `make test`.
# They need python3 (3.11 or later, with venv), git and make; only installing uses a package index.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Two workers suit the smallest machines this is developed on; the tests share nothing but the CPU.
WORKERS ?= 2
PYTEST := $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

.PHONY: demo test test-all campaign check bench docs clean

demo: $(VENV)/.installed
	$(BIN)/unlost demo

test: $(VENV)/.tested
	$(PYTEST) -m "not slow and not service"

test-all: $(VENV)/.tested-all
	sh scripts/install_services.sh
	sh scripts/install_agents.sh $(VENV)/agents
	$(PYTEST)

campaign: $(VENV)/.tested-all
	sh scripts/install_services.sh
	$(BIN)/python scripts/campaign.py

check: $(VENV)/.tested-all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python scripts/make_requirements.py --check
	$(BIN)/python scripts/make_reference.py --check

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks

docs: $(VENV)/.tested
	$(BIN)/python scripts/make_requirements.py
	$(BIN)/python scripts/make_reference.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/.pip:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	touch $@

$(VENV)/.installed: $(VENV)/.pip pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group test
	touch $@

$(VENV)/.tested-all: $(VENV)/.tested
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group lint
	touch $@
