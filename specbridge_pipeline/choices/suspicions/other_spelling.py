"""A text that its column does not have, but has in other letter case or with other blanks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.choices.suspicions.looking import Look
from specbridge_pipeline.choices.suspicions.suspicion import (
    BOTH_ENGINES,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.databases.schema import Column, Table
from specbridge_pipeline.sql.places import own_nodes

_SHOWN = 3


def _find(look: Look) -> Iterator[Suspicion]:
    if not look.has_data:
        return
    found: dict[tuple[str, str], _Misspelt] = {}
    for scope in look.query.scopes:
        for node in own_nodes(scope.select):
            for column, literal in _compared(node):
                origin = look.origin(scope, column)
                spellings = _spellings(look, *origin, literal.name) if origin is not None else []
                if spellings:
                    place = _Misspelt(look.name(scope, column), literal, spellings, [])
                    found.setdefault((place.name, literal.name), place).literals.append(literal)
    edited = _edited(look, list(found.values()))
    for each in found.values():
        yield _suspicion(look, each, edited)


@dataclass(frozen=True, slots=True)
class _Misspelt:
    """A text that a column does not have.

    Attributes:
        name: The column.
        literal: The text where it stands first.
        spellings: The column's values that are like it.
        literals: All places where it is held against the column.
    """

    name: str
    literal: exp.Literal
    spellings: list[str]
    literals: list[exp.Literal]


def _compared(node: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Literal]]:
    """Yield the columns with the texts that they are held against."""
    if isinstance(node, exp.In):
        sides = [(node.this, each) for each in node.expressions]
    elif isinstance(node, exp.EQ | exp.NEQ):
        sides = [(node.this, node.expression), (node.expression, node.this)]
    else:
        return
    for column, literal in sides:
        if not isinstance(column, exp.Column) or not isinstance(literal, exp.Literal):
            continue
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


def _edited(look: Look, found: list[_Misspelt]) -> str | None:
    """Return the query with all texts as their columns have them: one alone may change nothing."""
    if not found or any(len(each.spellings) > 1 for each in found):
        return None
    places = [(literal, each.spellings[0]) for each in found for literal in each.literals]
    tree, copies = look.copied(*(literal for literal, _ in places))
    for copy, (_, spelling) in zip(copies, places, strict=True):
        copy.replace(exp.Literal.string(spelling))
    return look.text(tree)


def _suspicion(look: Look, place: _Misspelt, edited: str | None) -> Suspicion:
    written = [exp.Literal.string(each).sql(look.engine) for each in place.spellings]
    return Suspicion(
        SuspicionKind.OTHER_SPELLING,
        False,
        f"{place.name} is compared with {look.text(place.literal)}, which equals none of its "
        "values.",
        f"{place.name} is compared with {' or '.join(written)}.",
        f"{place.name} has the value {' and '.join(written)}.",
        edited,
        place.literal,
    )


DETECTOR = Detector(SuspicionKind.OTHER_SPELLING, BOTH_ENGINES, _find)
