"""The study of references: what becomes of mutants, and what is counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import apsw
import pytest

from specbridge_pipeline.benchmarks.references import BenchmarkReference
from specbridge_pipeline.databases.database_files import named_database_files
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.errors import UndeterminedReferenceError, UnusableReferenceError
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.exact_description.proofs.findings import (
    NO_DATABASES,
    counts,
    reason_without_names,
)
from specbridge_pipeline.exact_description.proofs.mutation_testing import Fate, judge_mutants
from specbridge_pipeline.exact_description.proofs.study import (
    DOES_NOT_RUN,
    MUTANT_LIMITS,
    NO_DATABASE,
    NO_SCHEMA,
    DescriptionStudy,
    distinct_queries,
    drawn,
)
from specbridge_pipeline.sql.mutation.mutants import mutants
from specbridge_pipeline_tests.exact_description.conftest import SHOP

QUERY = "SELECT name FROM customer WHERE city = 'Berlin' ORDER BY id DESC"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("databases")
    (root / "shop").mkdir()
    connection = apsw.Connection(str(root / "shop" / "shop.sqlite"))
    connection.execute(SHOP)
    connection.close()
    return root


@pytest.fixture(scope="module")
def runner():
    with QueryRunner(workers=1) as opened:
        yield opened


@pytest.fixture
def judge(folder, runner):
    """Return a function from a query and a text to how many mutants had which fate."""
    path = folder / "shop" / "shop.sqlite"
    schema = runner.read_schema(path)

    def run(sql, rows):
        limits = None if rows is None else replace(MUTANT_LIMITS, rows=rows, steps=100_000)
        return runner.run(path, sql, limits=limits)

    def judged(sql, described=None):
        text = describe(described or sql, schema).text
        return judge_mutants(run, sql, schema, text)

    return judged


@pytest.fixture
def study(folder, runner):
    def of(*queries, databases=("shop",)):
        schema = runner.read_schema(folder / "shop" / "shop.sqlite")
        files = named_database_files([folder], databases)
        references = [
            BenchmarkReference(at, database, sql) for at, (database, sql) in enumerate(queries)
        ]
        opened = DescriptionStudy({"shop": schema, "closed": schema}, files, runner)
        found = []
        findings = opened.study(distinct_queries(references), found=found.append, at_once=1)
        assert found == findings
        return findings

    return of


def test_what_returns_something_else_is_killed_by_another_text(judge):
    fates = {one.mutant.sql: one.fate for one in judge(QUERY)}
    assert fates[QUERY.replace("'Berlin'", "'bERLIN'")] is Fate.KILLED
    assert fates[QUERY.replace(" DESC", " ASC")] is Fate.KILLED
    assert Fate.SURVIVED not in fates.values()


def test_a_mutant_with_the_same_text_survives(judge, folder, runner):
    schema = runner.read_schema(folder / "shop" / "shop.sqlite")
    other = QUERY.replace(" DESC", " ASC")
    # The text of the mutant in the place of the query's own: as if the direction were not said.
    survivors = [
        one.mutant.sql for one in judge(QUERY, described=other) if one.fate is Fate.SURVIVED
    ]
    assert other in survivors
    texts = {describe(sql, schema).text for sql in survivors}
    assert texts == {describe(other, schema).text}


def test_a_mutant_that_returns_the_same_or_does_not_run_is_no_matter(judge):
    fates = {one.mutant.sql: one.fate for one in judge(QUERY)}
    assert fates[QUERY.replace(" = ", "  IS  ")] is Fate.SAME_RESULT
    assert fates[QUERY.replace("FROM customer", "FROM purchase AS customer")] is Fate.FAILED


def test_another_order_counts_only_where_an_order_is_asked_for(judge):
    plain = "SELECT name FROM customer WHERE id > 0"
    added = {one.mutant.sql: one.fate for one in judge(plain)}
    assert added["SELECT name FROM customer WHERE id > 1"] is Fate.KILLED
    ordered = {one.mutant.sql: one.fate for one in judge("SELECT name FROM customer ORDER BY name")}
    assert ordered["SELECT name FROM customer ORDER BY name DESC"] is Fate.KILLED


def test_a_name_counts_where_it_is_what_was_changed(judge):
    fates = {one.mutant.sql: one.fate for one in judge("SELECT name AS who FROM customer")}
    assert fates['SELECT name AS "who_2" FROM customer'] is Fate.KILLED


def test_what_does_not_settle_its_result_is_left_out(judge):
    fates = {one.mutant.sql: one.fate for one in judge("SELECT name FROM customer")}
    assert fates["SELECT name FROM customer LIMIT 1"] is Fate.UNDETERMINED
    with pytest.raises(UndeterminedReferenceError):
        judge("SELECT name FROM customer LIMIT 1")
    with pytest.raises(UnusableReferenceError):
        judge("SELECT name FROM nowhere", described=QUERY)


def test_what_takes_too_long_is_left_out(judge):
    joined = (f"JOIN purchase AS {name} ON {name}.product = a.product" for name in "bcdefgh")
    sql = f"SELECT COUNT(*) FROM purchase AS a {' '.join(joined)}"
    fates = Counter(one.fate for one in judge(sql))
    assert fates[Fate.OVER_LIMIT] > 0


def test_each_query_is_studied_once_and_has_all_its_questions(study):
    (finding,) = study(("shop", QUERY), ("shop", QUERY))
    assert finding.question_ids == (0, 1)
    table = counts([finding])
    assert (table["references"], table["parsed"], table["described"]) == (2, 2, 2)
    assert table["survivors"] == 0
    assert (table["round_trips"], table["round_trips_by_text"]) == (2, 0)
    of_kinds = table["mutants_by_kind"].values()
    assert table["mutants"] == sum(sum(kind.values()) for kind in of_kinds) > 10
    left_out = sum(table["mutants_left_out"].values())
    schema_mutants = sum(number for _, _, number in finding.fates)
    assert table["mutants"] + left_out == schema_mutants


def test_what_is_left_out_has_its_reason(study):
    findings = study(
        ("shop", "SELEC name"),
        ("nowhere", "SELECT 1"),
        ("closed", QUERY),
        ("shop", "SELECT name FROM customer WHERE shoe_size > 3"),
        ("shop", "SELECT name FROM customer LIMIT 1"),
    )
    table = counts(findings)
    assert [len(ids) for ids in table["not_parsed"].values()] == [1]
    assert table["not_described"][NO_SCHEMA] == [1]
    assert [3] in table["not_described"].values()
    assert table["not_mutated"] == {
        "its result is not determined: cut_without_order": [4],
        NO_DATABASE: [2],
    }
    assert DOES_NOT_RUN not in table["not_mutated"]


def test_counts_without_databases_say_so(study):
    table = counts(study(("closed", QUERY), databases=()), not_mutated=NO_DATABASES)
    assert table["described"] == 1
    assert table["mutants"] is None
    assert table["mutants_reason"] == NO_DATABASES


def test_mutants_of_a_query_are_all_accounted_for(study, folder, runner):
    schema = runner.read_schema(folder / "shop" / "shop.sqlite")
    (finding,) = study(("shop", QUERY))
    expected = Counter(one.kind for one in mutants(QUERY, schema))
    found: Counter = Counter()
    for kind, _, number in finding.fates:
        found[kind] += number
    assert found == expected


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        ("'amuont' names no column of the tables", "… names no column of the tables"),
        ('a join on "x y" and `z`', "a join on … and …"),
        ("there is no table or step Big Table", "there is no table or step …"),
        (
            "the statement cannot be parsed: amuont is not expected here",
            "the statement cannot be parsed: … is not expected here",
        ),
        ("amount is neither grouped by nor aggregated", "… is neither grouped by nor aggregated"),
        (
            "a subquery that uses city id of the SELECT around it",
            "a subquery that uses … of the SELECT around it",
        ),
    ],
)
def test_a_reason_quotes_nothing_of_the_query(problem, reason):
    assert reason_without_names(problem) == reason


def test_a_drawn_part_is_the_same_for_a_seed_and_in_the_order_of_the_file():
    references = [BenchmarkReference(at, "shop", f"SELECT {at}") for at in range(50)]
    first = drawn(references, 10, 1)
    assert first == drawn(references, 10, 1)
    assert first != drawn(references, 10, 2)
    assert first == sorted(first, key=lambda each: int(each.question_id))
    assert drawn(references, None, 1) == drawn(references, 99, 1) == references
