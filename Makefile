# make demo: set up and watch a whole experiment, 15 to 30 seconds after the installation.   make test: set up and check everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint bench golden clean

demo: $(VENV)/run.stamp
	@rm -rf prereg-demo
	@$(BIN)/prereg demo prereg-demo

# A file's tests share what its first one made, so a worker takes whole files, in the order of tests/conftest.py. Tests start hundreds
# of interpreters: each would compile all that it imports anew where the caller forbids to keep what was compiled. And they make and
# remove tens of thousands of small files: in memory, where there are four gigabytes of room for them.
ROOM = $(shell df -Pk /dev/shm 2> /dev/null | awk 'NR == 2 && $$4 > 4194304 { print "/dev/shm" }')
test: export PYTHONDONTWRITEBYTECODE :=
test: $(VENV)/dev.stamp lint
	@place=$$(mktemp -d "$(or $(ROOM),$${TMPDIR:-/tmp})/prereg-tests.XXXXXX") && trap 'rm -rf "$$place"' EXIT && \
	TMPDIR=$$place $(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder -o tmp_path_retention_policy=failed

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/dev.stamp
	@for each in arithmetic analyze overhead simulate calibration; do \
	  echo "== benchmarks/$$each.py"; $(BIN)/python benchmarks/$$each.py || exit 1; done
	@echo "benchmarks/harvest_real.py SPEC measures a harvest of a history of yours"

golden: $(VENV)/dev.stamp
	UPDATE_GOLDEN=1 $(BIN)/python -m pytest -q tests/compiler tests/properties tests/spec_lang

clean:
	rm -rf $(VENV) build dist prereg-demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/made.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "prereg needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	touch $@

# The pinned packages come with hashes. The project itself is installed in place, without fetching anything.
$(VENV)/run.stamp: $(VENV)/made.stamp requirements/run.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/dev.stamp: $(VENV)/made.stamp requirements/dev.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@
