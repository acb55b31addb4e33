"""Names and texts with any signs in them are read back as they are."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from specbridge_pipeline.databases.schema import Column, Schema, Table
from specbridge_pipeline.exact_description.describing import describe
from specbridge_pipeline.exact_description.way_back.fragments import quoted, text_literal
from specbridge_pipeline.exact_description.way_back.reading_back import query_from_text

SIGNS = st.characters(codec="utf-8", exclude_characters="\0")
TEXTS = st.text(SIGNS, max_size=12)
WORDS = st.sampled_from(
    ["the sum of x", "name", "1a", "a. b", "step 2", "is", "(any name)", "a: b", "x`y", "'", '"']
)
NAMES = st.one_of(TEXTS.filter(lambda name: name.strip() != ""), WORDS)


def there_and_back(sql: str, schema: Schema) -> tuple[str, str]:
    text = describe(sql, schema).text
    return text, describe(query_from_text(text, schema), schema).text


@settings(deadline=None)
@given(NAMES, NAMES, NAMES, TEXTS)
def test_any_name_and_any_text(table, column, alias, text):
    schema = Schema((Table(table, (Column(column, "TEXT", False, 0),), ()),))
    before, after = there_and_back(
        f"SELECT {quoted(column)} AS {quoted(alias)} FROM {quoted(table)} AS t "
        f"WHERE t.{quoted(column)} = {text_literal(text)} ORDER BY length({quoted(column)})",
        schema,
    )
    assert after == before


@settings(deadline=None)
@given(NAMES, NAMES, st.lists(TEXTS, min_size=2, max_size=4, unique=True))
def test_any_names_of_two_sources_and_any_list(table, column, texts):
    other = f"{table}2"
    columns = (Column(column, "TEXT", False, 0), Column(f"{column} 2", "", False, 0))
    schema = Schema((Table(table, columns, ()), Table(other, columns, ())))
    listed = ", ".join(text_literal(text) for text in texts)
    before, after = there_and_back(
        f"SELECT a.{quoted(column)}, max(b.{quoted(column)}) FROM {quoted(table)} AS a "
        f"JOIN {quoted(other)} AS b ON a.{quoted(column)} = b.{quoted(column)} "
        f"WHERE b.{quoted(column + ' 2')} IN ({listed}) GROUP BY a.{quoted(column)}",
        schema,
    )
    assert after == before


@settings(deadline=None)
@given(
    st.one_of(
        st.integers(-(2**63), 2**63 - 1),
        st.floats(allow_nan=False),
        st.booleans().map(int),
    )
)
def test_any_number(number):
    written = repr(number).replace("inf", "9e999")
    before, after = there_and_back(f"SELECT {written} AS n", Schema(()))
    assert after == before
