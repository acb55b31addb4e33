"""The corpus: each statement is described, and each change of a result is a change of the text.

What is not so yet is listed in `corpus/open.yaml`, and comes off the list once it is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
import yaml

from specbridge_pipeline.benchmarks.references import BenchmarkReference
from specbridge_pipeline.databases.results import QueryResult
from specbridge_pipeline.exact_description.proofs.findings import ReferenceFinding
from specbridge_pipeline.exact_description.proofs.mutation_testing import Fate
from specbridge_pipeline.exact_description.proofs.study import MUTANT_LIMITS, DescriptionStudy
from specbridge_pipeline.sql.mutation.kinds import MutationKind
from specbridge_pipeline.sql.mutation.mutants import mutants
from specbridge_pipeline_tests.support.description_corpus import (
    FOLDER,
    STATEMENTS,
)

OPEN = yaml.safe_load((FOLDER / "open.yaml").read_text(encoding="utf-8"))
LIMITS = replace(MUTANT_LIMITS, steps=2_000_000)
"""Enough for tables of ten rows; what recurs without end is over it soon, on every machine."""


@pytest.fixture(scope="module")
def findings(database, runner) -> dict[str, ReferenceFinding]:
    study = DescriptionStudy({}, {"corpus": database}, runner, limits=LIMITS)
    queries = [
        (BenchmarkReference(each.name, "corpus", each.sql), (each.name,)) for each in STATEMENTS
    ]
    found = study.study(queries, found=lambda _: None, at_once=1)
    return {str(each.question_ids[0]): each for each in found}


def test_the_corpus_is_large_and_each_statement_is_there_once():
    assert len(STATEMENTS) >= 400
    assert len({each.name for each in STATEMENTS}) == len(STATEMENTS)
    repeated = [sql for sql, times in Counter(each.sql for each in STATEMENTS).items() if times > 1]
    assert repeated == []


def test_each_statement_runs_and_nearly_all_return_rows(database, runner):
    outcomes = {each.name: runner.run(database, each.sql) for each in STATEMENTS}
    failed = {
        name: outcome for name, outcome in outcomes.items() if not isinstance(outcome, QueryResult)
    }
    assert failed == {}
    empty = [name for name, outcome in outcomes.items() if not outcome.rows]
    assert len(empty) <= len(STATEMENTS) // 50, empty


def test_each_kind_of_mutation_occurs(database, runner):
    schema = runner.read_schema(database)
    kinds = Counter(one.kind for each in STATEMENTS for one in mutants(each.sql, schema))
    assert [kind for kind in MutationKind if kinds[kind] < 10] == []


@pytest.mark.slow
def test_each_statement_is_described_unless_it_is_listed(findings):
    missing = {
        name: finding.not_parsed or finding.not_described
        for name, finding in findings.items()
        if not finding.described
    }
    listed = {
        f"{construct} {place}"
        for construct, places in OPEN["not_described"].items()
        for place in places
    }
    unlisted = {name: reason for name, reason in missing.items() if name not in listed}
    assert unlisted == {}, "these were described before"
    assert sorted(listed - set(missing)) == [], "these are described now: take them off the list"


@pytest.mark.slow
def test_each_statement_settles_its_result_unless_it_is_listed(findings):
    left_out = {
        name: finding.not_mutated
        for name, finding in findings.items()
        if finding.not_mutated is not None
    }
    listed = OPEN["not_mutated"]
    assert {name: why for name, why in left_out.items() if listed.get(name) != why} == {}
    described = {name for name in listed if findings[name].described}
    assert sorted(described - set(left_out)) == []


@pytest.mark.slow
def test_each_change_of_a_result_is_a_change_of_the_text_unless_it_is_listed(findings):
    survivors = [
        f"{name}: {one.kind.value} at {one.place}"
        for name, finding in findings.items()
        for one in finding.survivors
    ]
    assert survivors == OPEN["survivors"]


@pytest.mark.slow
def test_most_mutants_return_something_else(findings):
    fates: Counter[Fate] = Counter()
    for finding in findings.values():
        for _, fate, number in finding.fates:
            fates[fate] += number
    judged = fates[Fate.KILLED] + fates[Fate.REFUSED] + fates[Fate.SURVIVED]
    assert judged > fates.total() / 2
    assert fates[Fate.OVER_LIMIT] < fates.total() / 100
