"""What the schema or the data say of the values of a column, as far as an edit has to know."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import Draft, identifier
from specbridge_pipeline.databases.schema import Table
from specbridge_pipeline.sql.column_origins import Scope, SourceColumn
from specbridge_pipeline.sql.join_repeats import column_equalities, table_keys


def is_always_there(draft: Draft, scope: Scope, value: exp.Expr) -> bool:
    """Say whether a value is known not to be missing in any row of its table.

    Args:
        draft: The edit's draft.
        scope: The SELECT in which the value stands.
        value: The value.
    """
    origin = draft.query.origin(scope, value)
    if origin is None:
        return False
    table, column = origin
    return column.not_null or draft.data.missing(table, column) is False


def is_key_in_data(draft: Draft, table: Table, *key: str) -> bool:
    """Say whether nothing in the data speaks against a key.

    Files of tables list one key column where the key has several.

    Args:
        draft: The edit's draft.
        table: The table.
        key: Its columns.
    """
    listed = exp.Select(expressions=[exp.column(identifier(name)) for name in key])
    rows = listed.from_(exp.Table(this=identifier(table.name)), copy=False)
    return draft.data.repeats(rows) is not True


def same_values(scope: Scope, columns: Iterable[SourceColumn]) -> frozenset[SourceColumn]:
    """Return some columns of a SELECT with those that its joins hold equal to them.

    A name that refers to another table's rows is left out: it does not name a row of its own.
    """
    found = set(columns)
    grown = True
    while grown:
        before = len(found)
        for pair in column_equalities(scope):
            if not found.isdisjoint(pair):
                found.update(each for each in pair if not each.name.endswith(("name", "title")))
        grown = len(found) > before
    return frozenset(found)


def key_columns(table: Table) -> tuple[str, ...]:
    """Return the columns that tell the rows of a table apart; none where no key is known.

    A table of nothing but references has them all together for a key.
    """
    keys = table_keys(table)
    if not keys:
        return ()
    columns = tuple(each.name for each in table.columns if each.name.lower() in keys[0])
    declared = {name.lower() for name in table.primary_key}
    return columns if keys[0] == declared or len(columns) == len(table.columns) else ()
