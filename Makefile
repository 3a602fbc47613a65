# Two commands do everything on a fresh machine: `make example` and `make test`.
# Set-up is a stamp file, so it runs once and again when the pins change.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: example test check setup clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt torch torchvision
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[model,adapters,quantised,ray,tables,plots,audit,server,dev]'
	touch $@

example: setup
	$(BIN)/pytest example_suite --vdg-checkpoint example_suite/checkpoints/grounded

test: setup
	$(BIN)/pytest tests -n 2
	$(BIN)/pytest tests/plugin -q -k "not xdist and not workers and not spread"

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/interrogate pytest_vdg tests tools example_suite bench
	$(BIN)/codespell
	$(BIN)/towncrier build --draft --version 0.0.0 > /dev/null

clean:
	rm -rf $(VENV) .vdg .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
