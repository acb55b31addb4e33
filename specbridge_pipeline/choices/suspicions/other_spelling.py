"""A text that its column does not have, but has in other letter case or with other blanks."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.suspicions.looking import Look
from specbridge_pipeline.choices.suspicions.suspicion import (
    BOTH_ENGINES,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.databases.schema import Column, Table
from specbridge_pipeline.sql.column_origins import Scope
from specbridge_pipeline.sql.places import own_nodes

_SHOWN = 3


def _find(look: Look) -> Iterator[Suspicion]:
    if not look.has_data:
        return
    for scope in look.query.scopes:
        for node in own_nodes(scope.select):
            for column, literal in _compared(node):
                origin = look.origin(scope, column)
                if origin is None:
                    continue
                spellings = _spellings(look, *origin, literal.name)
                if spellings:
                    yield _suspicion(look, scope, column, literal, spellings)


def _compared(node: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Literal]]:
    """Yield the columns with the texts that they are held against."""
    if isinstance(node, exp.In):
        sides = [(node.this, each) for each in node.expressions]
    elif isinstance(node, exp.EQ | exp.NEQ):
        sides = [(node.this, node.expression), (node.expression, node.this)]
    else:
        return
    for column, literal in sides:
        if isinstance(column, exp.Column) and isinstance(literal, exp.Literal):
            if literal.is_string and literal.name.strip():
                yield column, literal


def _spellings(look: Look, table: Table, column: Column, text: str) -> list[str]:
    """Return a column's values that differ from a text in letter case and blanks alone.

    Returns:
        The commonest first; none where the column has the text itself.
    """
    name, owner = (
        exp.to_identifier(each.name, quoted=True).sql(look.engine) for each in (column, table)
    )
    literal = exp.Literal.string(text).sql(look.engine)
    itself = look.rows(f"SELECT 1 FROM {owner} WHERE {name} = {literal} LIMIT 1")
    if itself is None or itself:
        return []
    value = f"CAST({name} AS VARCHAR)"
    rows = look.rows(
        f"SELECT {name}, COUNT(*) FROM {owner} WHERE LOWER(TRIM({value})) = "
        f"LOWER(TRIM({literal})) GROUP BY {name} ORDER BY COUNT(*) DESC, {name} LIMIT {_SHOWN}"
    )
    return [row[0] for row in rows or () if isinstance(row[0], str)]


def _suspicion(
    look: Look, scope: Scope, column: exp.Expr, literal: exp.Literal, spellings: list[str]
) -> Suspicion:
    edited: str | None = None
    if len(spellings) == 1:
        tree, (copy,) = look.copied(literal)
        copy.replace(exp.Literal.string(spellings[0]))
        edited = look.text(tree)
    name = look.name(scope, column)
    written = [exp.Literal.string(each).sql(look.engine) for each in spellings]
    return Suspicion(
        SuspicionKind.OTHER_SPELLING,
        False,
        f"{name} is compared with {look.text(literal)}, which equals none of its values.",
        f"{name} is compared with {' or '.join(written)}.",
        f"{name} has the value {' and '.join(written)}.",
        edited,
        literal,
    )


DETECTOR = Detector(SuspicionKind.OTHER_SPELLING, BOTH_ENGINES, _find)
