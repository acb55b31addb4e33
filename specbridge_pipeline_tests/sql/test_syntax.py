"""The parser reads statements as SQLite does: what it groups together, SQLite computes together."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.sql.syntax import nodes
from specbridge_pipeline.sql.syntax.parser import parse_statement
from specbridge_pipeline_tests.support.description_corpus import STATEMENTS

REFUSED = yaml.safe_load(Path(__file__).with_name("unparsable.yaml").read_text(encoding="utf-8"))
OPERATORS = (
    "+", "-", "*", "/", "%", "||", "<<", ">>", "&", "|", "<", "<=", ">", ">=", "=", "==",
    "<>", "!=", "AND", "OR", "IS", "LIKE", "GLOB", "IS NOT", "NOT LIKE",
)  # fmt: skip
OPERANDS = ("0", "1", "2", "7", "-3", "2.5", "'a'", "'2'", "'10'", "NULL", "~5", "NOT 1", "+'3'")


def grouped(node: nodes.Expression) -> str:
    """Write an expression with every operation between parentheses."""
    match node:
        case nodes.Number(text=text):
            return text
        case nodes.Text(value=value):
            return "'" + value.replace("'", "''") + "'"
        case nodes.Constant(word=word):
            return word
        case nodes.Unary(operator=operator, operand=operand):
            return f"({operator} {grouped(operand)})"
        case nodes.Binary(operator=operator, left=left, right=right):
            return f"({grouped(left)} {operator} {grouped(right)})"
        case nodes.Matched(operator=operator, operand=operand, pattern=pattern, negated=negated):
            word = f"NOT {operator}" if negated else operator
            return f"({grouped(operand)} {word} {grouped(pattern)})"
        case nodes.IsNull(operand=operand, negated=negated):
            return f"({grouped(operand)} {'NOTNULL' if negated else 'ISNULL'})"
        case nodes.Between(operand=operand, low=low, high=high, negated=negated):
            word = "NOT BETWEEN" if negated else "BETWEEN"
            return f"({grouped(operand)} {word} {grouped(low)} AND {grouped(high)})"
        case nodes.InList(operand=operand, items=items, negated=negated):
            word = "NOT IN" if negated else "IN"
            return f"({grouped(operand)} {word} ({', '.join(grouped(each) for each in items)}))"
        case nodes.Collate(operand=operand, collation=collation):
            return f"({grouped(operand)} COLLATE {collation})"
    raise AssertionError(node)


@st.composite
def expressions(draw: st.DrawFn) -> str:
    parts = [draw(st.sampled_from(OPERANDS))]
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.integers(0, 9))
        if kind == 0:
            parts.append(draw(st.sampled_from(["ISNULL", "NOTNULL", "NOT NULL", "COLLATE NOCASE"])))
            continue
        if kind == 1:
            word = draw(st.sampled_from(["BETWEEN", "NOT BETWEEN"]))
            low, high = draw(st.sampled_from(OPERANDS)), draw(st.sampled_from(OPERANDS))
            parts.append(f"{word} {low} AND {high}")
            continue
        if kind == 2:
            word = draw(st.sampled_from(["IN", "NOT IN"]))
            parts.append(f"{word} (1, 'a', {draw(st.sampled_from(OPERANDS))})")
            continue
        parts += [draw(st.sampled_from(OPERATORS)), draw(st.sampled_from(OPERANDS))]
    return " ".join(parts)


@settings(max_examples=600, deadline=None)
@given(expressions())
def test_operators_bind_as_they_do_in_the_engine(text):
    connection = apsw.Connection(":memory:")
    expected = list(connection.execute(f"SELECT {text}, typeof({text})"))
    select = parse_statement(f"SELECT {text}").first
    assert isinstance(select, nodes.Select)
    item = select.items[0]
    assert isinstance(item, nodes.Item)
    whole = grouped(item.value)
    assert list(connection.execute(f"SELECT {whole}, typeof({whole})")) == expected


@pytest.mark.parametrize("each", STATEMENTS, ids=lambda each: each.name)
def test_each_statement_of_the_corpus_is_parsed(each):
    assert parse_statement(each.sql + " ; -- a remark").at == 0


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["sql"][:50])
def test_what_the_engine_cannot_parse_is_told_with_its_place(case):
    with pytest.raises(
        apsw.SQLError, match=r"syntax|incomplete|unrecognized|unknown join|should come"
    ):
        apsw.Connection(":memory:").execute(case["sql"])
    with pytest.raises(UnusableReferenceError) as raised:
        parse_statement(case["sql"])
    assert case["place"] in raised.value.where


def test_quotation_marks_are_kept_and_signs_are_not_dropped():
    query = parse_statement("""SELECT "a""b", [c], `d`, + e FROM t""")
    assert isinstance(query.first, nodes.Select)
    values = [item.value for item in query.first.items if isinstance(item, nodes.Item)]
    assert [(each.column, each.quote) for each in values[:3]] == [
        ('a"b', '"'),
        ("c", "["),
        ("d", "`"),
    ]
    assert isinstance(values[3], nodes.Unary)


def test_a_double_slash_is_of_one_engine_alone():
    assert parse_statement("SELECT 7 // 2", Engine.DUCKDB)
    with pytest.raises(UnusableReferenceError):
        parse_statement("SELECT 7 // 2")
