"""What a structure keeps of a statement, and what it refuses."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
import yaml

from specbridge_pipeline.databases.schema import Column, Schema, Table
from specbridge_pipeline.errors import UndescribableQueryError, UnusableReferenceError
from specbridge_pipeline.exact_description.describing import describe, query_json
from specbridge_pipeline.exact_description.reading import read_structure
from specbridge_pipeline.exact_description.structure import (
    Aggregate,
    AggregateFunction,
    Arithmetic,
    ColumnValue,
    Comparison,
    Literal,
    Membership,
    StepValue,
    ZeroIfMissing,
)
from specbridge_pipeline_tests.exact_description.conftest import FIXTURES


def cases(name):
    return yaml.safe_load((FIXTURES / name).read_text(encoding="utf-8"))


def one_value(sql, schema):
    return read_structure(sql, schema).result.outputs[0].value


@pytest.mark.parametrize("group", cases("same_descriptions.yaml"), ids=lambda group: group[0][:60])
def test_spelling_leaves_the_text_unchanged(group, shop_schema):
    texts = {describe(sql, shop_schema).text for sql in group}
    assert len(texts) == 1, "\n---\n".join(sorted(texts))


@pytest.mark.parametrize(
    "pair", cases("different_descriptions.yaml"), ids=lambda pair: pair[0][:60]
)
def test_statements_that_look_alike_are_told_apart(pair, shop_schema):
    first, second = (describe(sql, shop_schema).text for sql in pair)
    assert first != second


@pytest.mark.parametrize("case", cases("refused_queries.yaml"), ids=lambda case: case["sql"][:60])
def test_what_cannot_be_described_is_named_with_its_place(case, shop_schema):
    with pytest.raises(UndescribableQueryError) as raised:
        describe(case["sql"], shop_schema)
    assert case["construct"] in raised.value.what
    assert case["place"] in raised.value.where


@pytest.mark.parametrize(
    "case", cases("undescribable_statements.yaml"), ids=lambda case: case["sql"][:60]
)
def test_what_the_plan_of_a_request_set_does_not_know_is_named_with_its_place(case, shop_schema):
    with pytest.raises(UndescribableQueryError) as raised:
        read_structure(case["sql"], shop_schema)
    assert case["construct"] in raised.value.what
    assert case["place"] in raised.value.where


@pytest.mark.parametrize("sql", ["", "SELECT (", "DELETE FROM purchase", "SELECT 1; SELECT 2"])
def test_what_is_not_one_query_is_no_query(sql, shop_schema):
    with pytest.raises(UnusableReferenceError):
        read_structure(sql, shop_schema)


def test_names_are_spelled_as_declared(shop_schema):
    structure = read_structure("SELECT AMOUNT, p.Product FROM PURCHASE p", shop_schema)
    assert [output.name for output in structure.result.outputs] == ["amount", "product"]
    assert structure.result.outputs[0].value == ColumnValue(0, "purchase", "amount")


def test_a_step_hides_a_table_of_its_name(shop_schema):
    sql = "WITH customer AS (SELECT product AS name FROM purchase) SELECT name FROM customer"
    assert one_value(sql, shop_schema) == StepValue(0, 0, 0)


def test_steps_stand_after_those_that_they_read_and_unused_ones_are_left_out(shop_schema):
    sql = """
        WITH late AS (SELECT n FROM early), unused AS (SELECT 1 AS x),
             early AS (SELECT COUNT(*) AS n FROM purchase)
        SELECT late.n FROM late CROSS JOIN early
    """
    structure = read_structure(sql, shop_schema)
    assert [step.name for step in structure.steps] == ["early", "late", ""]


def test_an_order_key_is_an_output_name_first_and_a_column_inside_an_expression(shop_schema):
    bare = read_structure("SELECT -amount AS amount FROM purchase ORDER BY amount", shop_schema)
    assert bare.result.order[0].value == bare.result.outputs[0].value
    inside = read_structure(
        "SELECT -amount AS amount FROM purchase ORDER BY amount + 0", shop_schema
    )
    assert inside.result.order[0].value == Arithmetic(
        "+", ColumnValue(0, "purchase", "amount"), Literal(0)
    )


def test_a_literal_is_what_the_engine_compares(shop_schema):
    sql = "SELECT id FROM purchase WHERE amount > '5' AND product = 7 AND 3 < pieces"
    conditions = read_structure(sql, shop_schema).result.conditions
    assert all(isinstance(each, Comparison) for each in conditions)
    assert [each.right for each in conditions] == [Literal(5), Literal("7"), Literal(3)]


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        ("amount / pieces", True),
        ("SUM(amount) / COUNT(*)", True),
        ("MAX(amount) / 2", True),
        ("SUM(amount) / 2.0", False),
        ("AVG(amount) / 2", False),
        ("SUM(1.0 * amount) / SUM(pieces)", False),
        ("CAST(SUM(amount) AS REAL) / SUM(pieces)", False),
        ("SUM(amount) / SUM(pieces) / 1.0", False),
    ],
)
def test_a_division_is_of_whole_numbers_unless_something_makes_it_real(value, whole, shop_schema):
    quotient = one_value(f"SELECT {value} AS x FROM purchase", shop_schema)
    assert isinstance(quotient, Arithmetic)
    assert quotient.whole is whole


@pytest.mark.parametrize(
    ("declared", "whole"),
    [("REAL", False), ("DOUBLE", False), ("INT", True), ("DECIMAL(5,2)", True), ("", True)],
)
def test_a_declared_type_that_leaves_it_open_is_marked_as_if_whole(declared, whole):
    columns = (Column("a", declared, False, 0), Column("b", "INTEGER", False, 0))
    schema = Schema((Table("t", columns, ()),))
    assert one_value("SELECT a / b AS x FROM t", schema).whole is whole


def test_a_type_is_followed_through_steps(shop_schema):
    sql = "WITH a AS (SELECT AVG(amount) AS x, COUNT(*) AS n FROM purchase) SELECT {} AS y FROM a"
    assert not one_value(sql.format("x / n"), shop_schema).whole
    assert one_value(sql.format("n / n"), shop_schema).whole


def test_the_factor_of_a_division_is_dropped_and_any_other_kept(shop_schema):
    amount, pieces = (ColumnValue(0, "purchase", name) for name in ("amount", "pieces"))
    division = one_value("SELECT 1.0 * amount / pieces AS x FROM purchase", shop_schema)
    assert division == Arithmetic("/", amount, pieces, whole=False)
    alone = one_value("SELECT CAST(amount AS REAL) AS x FROM purchase", shop_schema)
    assert alone == Arithmetic("*", Literal(1.0), amount)


def test_a_column_that_the_key_determines_needs_no_group(shop_schema):
    sql = "SELECT name, COUNT(*) AS n FROM customer GROUP BY id"
    structure = read_structure(sql, shop_schema)
    assert structure.result.outputs[1].value == Aggregate(AggregateFunction.COUNT_ROWS, None)


def test_a_negative_limit_is_no_limit(shop_schema):
    result = read_structure("SELECT id FROM purchase LIMIT -1 OFFSET 2", shop_schema).result
    assert (result.limit, result.offset) == (None, 2)


def test_the_tree_holds_what_tells_structures_apart(shop_schema):
    statements = [sql for pair in cases("different_descriptions.yaml") for sql in pair]
    queries = {sql: describe(sql, shop_schema).query for sql in statements}
    trees = {sql: json.dumps(query_json(query)) for sql, query in queries.items()}
    for one, other in combinations(trees, 2):
        assert queries[one] == queries[other] or trees[one] != trees[other]


@pytest.mark.parametrize(("word", "negated"), [("IN", False), ("NOT IN", True)])
def test_a_membership_is_a_condition_and_no_step(word, negated, shop_schema):
    structure = read_structure(
        f"SELECT COUNT(*) FROM purchase WHERE customer_id {word} "
        "(SELECT customer_id FROM purchase WHERE product = 'oil' AND amount > 3)",
        shop_schema,
    )
    customer = ColumnValue(0, "purchase", "customer_id")
    assert len(structure.steps) == 1
    assert structure.result.conditions == (
        Membership(
            customer,
            customer,
            (
                Comparison("=", ColumnValue(0, "purchase", "product"), Literal("oil")),
                Comparison(">", ColumnValue(0, "purchase", "amount"), Literal(3)),
            ),
            negated,
        ),
    )


@pytest.mark.parametrize(
    "records",
    [
        "SELECT customer_id FROM purchase GROUP BY customer_id",
        "SELECT customer_id FROM purchase ORDER BY amount LIMIT 3",
        "SELECT p.customer_id FROM purchase AS p JOIN customer AS c ON p.customer_id = c.id",
        "SELECT customer_id FROM (SELECT customer_id FROM purchase) AS p",
        "SELECT p.customer_id FROM purchase AS p WHERE p.amount > customer.id",
        "SELECT customer_id FROM purchase WHERE id IN (SELECT id FROM purchase)",
    ],
)
def test_a_membership_in_anything_but_picked_rows_of_a_table_is_refused(records, shop_schema):
    with pytest.raises(UndescribableQueryError):
        read_structure(f"SELECT name FROM customer WHERE id IN ({records})", shop_schema)


def test_zero_for_what_is_missing_is_read_in_an_average(shop_schema):
    value = one_value("SELECT AVG(COALESCE(pieces, (0))) AS x FROM purchase", shop_schema)
    pieces = ColumnValue(0, "purchase", "pieces")
    assert value == Aggregate(AggregateFunction.AVERAGE, ZeroIfMissing(pieces))
    assert value.column == pieces
    plain = one_value("SELECT AVG(pieces) AS x FROM purchase", shop_schema)
    assert (plain.column, plain == value) == (pieces, False)


@pytest.mark.parametrize(
    "value",
    [
        "SUM(COALESCE(pieces, 0))",
        "AVG(COALESCE(pieces, 1))",
        "AVG(COALESCE(pieces, '0'))",
        "AVG(COALESCE(pieces, amount, 0))",
        "AVG(COALESCE(pieces + 1, 0))",
        "COALESCE(pieces, 0)",
    ],
)
def test_any_other_value_for_what_is_missing_is_refused(value, shop_schema):
    with pytest.raises(UndescribableQueryError, match="COALESCE"):
        read_structure(f"SELECT {value} AS x FROM purchase", shop_schema)


def test_zero_for_a_value_that_a_step_gives_is_refused(shop_schema):
    sql = (
        "WITH q AS (SELECT product, SUM(pieces) AS n FROM purchase GROUP BY product) "
        "SELECT AVG(COALESCE(n, 0)) AS x FROM q"
    )
    with pytest.raises(UndescribableQueryError, match="COALESCE"):
        read_structure(sql, shop_schema)
