# Each target makes its own virtual environment, so that it is the only command needed
# on a fresh machine with Python 3.11, pip and make.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test check bench format test-slow docs clean

demo: $(VENV)/.installed
	@$(BIN)/omnihook demo

# Many tests time real processes. What failed while workers shared the machine is asked once more, alone; a run that
# came to no end (any other exit code than 1) is not asked again.
QUICK := $(BIN)/python -m pytest -m "not slow and not soak and not realagent"

# They start us hundreds of times, so let nobody compile us each time.
unexport PYTHONDONTWRITEBYTECODE

test: $(VENV)/.dev
	@$(BIN)/python -m compileall -q src
	$(QUICK) || { test $$? -eq 1 && $(QUICK) --last-failed --last-failed-no-failures none -n 0; }

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -m "slow" --timeout 1500

check: $(VENV)/.dev
	$(BIN)/ruff format --check src tests bench scripts
	$(BIN)/ruff check src tests bench scripts
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/gendocs.py --check
	$(BIN)/python scripts/inventory.py --check

bench:
	@$(PYTHON) -m bench.prepare

docs: $(VENV)/.dev
	$(BIN)/python scripts/gendocs.py

format: $(VENV)/.dev
	$(BIN)/ruff format src tests bench scripts
	$(BIN)/ruff check --fix src tests bench scripts

clean:
	rm -rf $(VENV) .venv-bench .pytest_cache .mypy_cache .ruff_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.installed pyproject.toml
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@
