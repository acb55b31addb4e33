"""The keys of GROUP BY."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.kinds import Change, Edit, MutationKind
from specbridge_pipeline.sql.mutation.names import quoted
from specbridge_pipeline.sql.mutation.statement import Span, Statement


def grouping_keys(statement: Statement) -> Iterator[Change]:
    """Group by a key less, by a key more, or not at all."""
    for block in statement.blocks:
        group = block.clauses.get(TokenType.GROUP_BY)
        if group is None:
            continue
        keys = statement.split(group, {TokenType.COMMA})
        for at in range(len(keys)) if len(keys) > 1 else ():
            yield Change(MutationKind.GROUPING_KEY, (without_item(statement, keys, at),))
        if TokenType.HAVING not in block.clauses:
            edit = statement.drop(Span(group.start - 1, group.stop))
            yield Change(MutationKind.GROUPING_KEY, (edit,))
        for source in block.sources:
            table = statement.table(source.name)
            if table is None:
                continue
            for column in dict.fromkeys((table.columns[0], table.columns[-1])):
                key = f", {quoted(source.alias)}.{quoted(column.name)}"
                edit = statement.after(group.stop - 1, key)
                yield Change(MutationKind.GROUPING_KEY, (edit,))


def without_item(statement: Statement, items: list[Span], at: int) -> Edit:
    """Return the edit that takes one of several items between commas away, with its comma."""
    item = items[at]
    gap = Span(item.start - 1, item.stop) if at else Span(item.start, item.stop + 1)
    return statement.drop(gap)
