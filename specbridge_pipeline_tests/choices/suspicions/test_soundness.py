"""What is said of a query holds for all rows: none is dropped, kept or repeated otherwise."""

from __future__ import annotations

import apsw
from hypothesis import given, settings
from hypothesis import strategies as st

from specbridge_pipeline.choices.suspicions.each_row_once import each_row_once, repeating_sources
from specbridge_pipeline.choices.suspicions.looking import Look
from specbridge_pipeline.choices.suspicions.registry import suspicions
from specbridge_pipeline.choices.suspicions.suspicion import SuspicionKind
from specbridge_pipeline.databases.schema import Column, ForeignKey, Schema, Table
from specbridge_pipeline.sql.column_origins import resolve_names
from specbridge_pipeline.sql.parsing import parse_query


def _column(name, kind, position=0):
    return Column(name, kind, False, position)


SCHEMA = Schema(
    (
        Table(
            "orders",
            (
                _column("order_id", "INTEGER", 1),
                _column("customer", "TEXT"),
                _column("total", "INTEGER"),
            ),
            (),
        ),
        Table(
            "items",
            (
                _column("item_id", "INTEGER", 1),
                _column("order_id", "INTEGER"),
                _column("product", "TEXT"),
                _column("price", "INTEGER"),
            ),
            (ForeignKey(("order_id",), "orders", ("order_id",)),),
        ),
        Table(
            "notes",
            (_column("note_id", "INTEGER", 1), _column("order_id", "INTEGER")),
            (ForeignKey(("order_id",), "orders", ("order_id",)),),
        ),
    )
)
_numbers = st.one_of(st.none(), st.integers(0, 4))
_texts = st.one_of(st.none(), st.sampled_from(["a", "A", "b ", "2", "10"]))
_orders = st.lists(st.tuples(_texts, _numbers), max_size=5)
_items = st.lists(st.tuples(_numbers, _texts, _numbers), max_size=6)
_notes = st.lists(st.tuples(_numbers), max_size=4)


def _connect(orders, items, notes=()):
    connection = apsw.Connection(":memory:")
    connection.execute(
        "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer TEXT, total INTEGER);"
        "CREATE TABLE items (item_id INTEGER PRIMARY KEY, order_id INTEGER, product TEXT, "
        "price INTEGER);"
        "CREATE TABLE notes (note_id INTEGER PRIMARY KEY, order_id INTEGER)"
    )
    connection.executemany("INSERT INTO orders (customer, total) VALUES (?, ?)", orders)
    connection.executemany("INSERT INTO items (order_id, product, price) VALUES (?, ?, ?)", items)
    connection.executemany("INSERT INTO notes (order_id) VALUES (?)", notes)
    return connection


def _kinds(sql):
    found = suspicions(resolve_names(parse_query(sql), SCHEMA), None)
    return {each.kind for each in found}


_values = st.sampled_from(["1", "2", "3", "'2'", "'2.0'"])
_price_tests = st.one_of(
    st.builds("i.price {} {}".format, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), _values),
    st.builds("{} > i.price".format, _values),
    st.builds("i.price BETWEEN {} AND {}".format, _values, _values),
    st.builds("i.price IN ({}, {})".format, _values, _values),
    st.builds("i.product = {}".format, st.sampled_from(["'a'", "'A'", "'b'", "'b '", "'2'", "2"])),
    st.sampled_from(
        [
            "i.price IS NULL",
            "i.price IS NOT NULL",
            "COALESCE(i.price, 1) = 1",
            "i.price IS 1",
            "o.total > 1",
            "CASE WHEN i.price > 1 THEN 0 ELSE 1 END = 1",
            "i.product LIKE 'a%'",
            "i.price + o.total > 2",
            "i.price IN (SELECT total FROM orders)",
        ]
    ),
)
_conditions = st.recursive(
    _price_tests,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("NOT ({})".format, inner),
    ),
    max_leaves=4,
)


@settings(max_examples=400, deadline=None)
@given(_conditions, _orders, _items)
def test_a_left_join_said_to_be_cancelled_keeps_no_row_without_a_match(condition, orders, items):
    joined = "FROM orders AS o LEFT JOIN items AS i ON i.order_id = o.order_id"
    if SuspicionKind.CANCELLED_LEFT_JOIN in _kinds(f"SELECT o.total {joined} WHERE {condition}"):
        sql = f"SELECT COUNT(*) {joined} WHERE i.item_id IS NULL AND ({condition})"
        assert list(_connect(orders, items).execute(sql)) == [(0,)]


@settings(max_examples=600, deadline=None)
@given(st.lists(_price_tests, min_size=1, max_size=4), _orders, _items)
def test_conditions_said_to_exclude_each_other_keep_no_row(conditions, orders, items):
    sql = (
        "SELECT o.total FROM orders AS o JOIN items AS i ON i.order_id = o.order_id WHERE "
        + " AND ".join(conditions)
    )
    if SuspicionKind.EXCLUDING_CONDITIONS in _kinds(sql):
        assert list(_connect(orders, items).execute(sql)) == []


_ROWS = {
    "FROM orders AS o JOIN items AS i ON i.order_id = o.order_id": "o.order_id, o.total",
    "FROM items AS i JOIN orders AS o ON i.order_id = o.order_id AND i.price > 1": (
        "o.order_id, o.total"
    ),
    "FROM orders AS o JOIN items AS i ON i.order_id = o.order_id AND i.price > o.total": (
        "o.order_id, o.total"
    ),
    "FROM orders AS o LEFT JOIN items AS i ON i.order_id = o.order_id WHERE o.total > 1": (
        "o.order_id, o.total"
    ),
    "FROM orders AS o, items AS i, notes AS n WHERE i.order_id = o.order_id "
    "AND n.order_id = o.order_id AND (i.product = 'a' OR i.price = 2)": "o.order_id, o.total",
    "FROM orders AS o JOIN items AS i ON i.order_id = o.order_id JOIN notes AS n "
    "ON n.order_id = i.order_id WHERE NOT i.price IN (1, 2)": "o.order_id, o.total",
}


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(_ROWS)),
    st.sampled_from(["SUM", "AVG", "COUNT"]),
    _orders,
    _items,
    _notes,
)
def test_asking_for_existence_takes_each_row_once(joined, function, orders, items, notes):
    query = resolve_names(parse_query(f"SELECT {function}(o.total) {joined}"), SCHEMA)
    look = Look(query, None)
    divided = repeating_sources(look, query.scopes[0])
    assert divided is not None
    rewritten = each_row_once(look, query.scopes[0], divided[0])
    assert rewritten is not None
    connection = _connect(orders, items, notes)
    expected = f"SELECT {function}(total) FROM (SELECT DISTINCT {_ROWS[joined]} {joined})"
    assert list(connection.execute(look.text(rewritten[0]))) == list(connection.execute(expected))
