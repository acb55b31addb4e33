"""Columns and tables: other ones in the place of those named."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.databases.schema import Table
from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.statement import Source, Span, Statement


def columns(statement: Statement) -> Iterator[Change]:
    """Name another column of the same table, or the column of that name in another table."""
    for index, (source, table, column) in statement.columns.items():
        span = Span(index, index + 1)
        at = table.columns.index(column)
        neighbours = dict.fromkeys(
            table.columns[(at + step) % len(table.columns)] for step in (1, -1)
        )
        for other in neighbours:
            if other is not column:
                edit = statement.replace(span, quoted(other.name))
                yield Change(MutationKind.COLUMN, (edit,))
        if statement.kind(index - 1) is TokenType.DOT:
            yield from _other_qualifiers(statement, index, source)
        else:
            yield from _qualified(statement, index, source)
    yield from _columns_of_subqueries(statement)


def tables(statement: Statement) -> Iterator[Change]:
    """Read another table in the place of one."""
    every = statement.schema.tables
    for block in statement.blocks:
        for source in block.sources:
            table = statement.table(source.name)
            if table is None or len(every) < 2:
                continue
            other = every[(every.index(table) + 1) % len(every)]
            named = source.span.start
            while statement.kind(named + 1) is TokenType.DOT:
                named += 2
            # Columns that are qualified by the table's name keep their qualifier.
            alias = f" AS {quoted(table.name)}" if named + 1 == source.span.stop else ""
            text = quoted(other.name) + alias
            edit = statement.replace(Span(named, named + 1), text)
            yield Change(MutationKind.TABLE, (edit,))


def quoted(name: str) -> str:
    """Return a name as SQL reads it back."""
    if name.isascii() and name.isidentifier() and name.upper() not in _RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


def _other_qualifiers(statement: Statement, index: int, source: Source) -> Iterator[Change]:
    name = statement.tokens[index].text.lower()
    block = statement.block_of(index)
    inner = {id(each) for each in block.sources} if block is not None else set()
    for other, table in statement.scope(block):
        if other.alias == source.alias or not _has(table, name):
            continue
        edit = statement.replace(Span(index - 2, index - 1), quoted(other.alias))
        outside = id(source) not in inner or id(other) not in inner
        kind = MutationKind.CORRELATION if outside else MutationKind.COLUMN
        yield Change(kind, (edit,))


def _qualified(statement: Statement, index: int, source: Source) -> Iterator[Change]:
    """Name the column of another SELECT around, or the column where an output has its name."""
    name = statement.tokens[index].text.lower()
    block = statement.block_of(index)
    inner = {id(each) for each in block.sources} if block is not None else set()
    for other, table in statement.scope(block):
        if other is not source and id(other) not in inner and _has(table, name):
            edit = statement.before(index, f"{quoted(other.alias)}.")
            yield Change(MutationKind.CORRELATION, (edit,))
    named = any(
        statement.kind(at - 1) is TokenType.ALIAS
        and statement.tokens[at].text.lower() == name
        and statement.block_of(at) is block
        for at in range(1, len(statement.tokens))
    )
    if named:
        edit = statement.before(index, f"{quoted(source.alias)}.")
        yield Change(MutationKind.COLUMN, (edit,))


def _columns_of_subqueries(statement: Statement) -> Iterator[Change]:
    """Name another column of a subquery or a WITH entry: one that is named elsewhere."""
    named: dict[str, dict[str, None]] = {}
    places: list[tuple[int, str]] = []
    for index in range(2, len(statement.tokens)):
        if statement.kind(index - 1) is not TokenType.DOT or index in statement.columns:
            continue
        if statement.is_word(index) and statement.is_word(index - 2):
            alias = statement.tokens[index - 2].text.lower()
            named.setdefault(alias, {})[statement.tokens[index].text] = None
            places.append((index, alias))
    for index, alias in places:
        for other in named[alias]:
            if other != statement.tokens[index].text:
                edit = statement.replace(Span(index, index + 1), quoted(other))
                yield Change(MutationKind.COLUMN, (edit,))


def _has(table: Table, name: str) -> bool:
    return any(column.name.lower() == name for column in table.columns)


_RESERVED = frozenset(
    {
        "ALL", "AND", "AS", "BETWEEN", "BY", "CASE", "CAST", "CHECK", "COLLATE", "CROSS", "DEFAULT",
        "DESC", "ASC", "DISTINCT", "ELSE", "END", "EXCEPT", "EXISTS", "FROM", "FULL", "GROUP",
        "HAVING", "IN", "INDEX", "INNER", "INTERSECT", "INTO", "IS", "ISNULL", "JOIN", "LEFT",
        "LIMIT", "NATURAL", "NOT", "NOTNULL", "NULL", "OFFSET", "ON", "OR", "ORDER", "OUTER",
        "OVER", "REFERENCES", "RIGHT", "SELECT", "SET", "TABLE", "THEN", "TO", "TRANSACTION",
        "UNION", "UNIQUE", "USING", "VALUES", "WHEN", "WHERE", "WINDOW", "WITH", "FILTER", "LIKE",
        "ROWS", "RANGE", "GROUPS", "CURRENT", "DATE", "TIME", "CURRENT_DATE", "CURRENT_TIME",
    }
)  # fmt: skip
