"""Conditions that are added and dropped: filters, HAVING, parts of join conditions."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.databases.schema import Column
from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.names import quoted
from specbridge_pipeline.sql.mutation.positions import joined_source, refers_outside
from specbridge_pipeline.sql.mutation.statement import AROUND_AND, AROUND_OR, Block, Span, Statement


def filters_dropped(statement: Statement) -> Iterator[Change]:
    """Drop all conditions of a clause, or one side of an AND or OR."""
    for index, token in enumerate(statement.tokens):
        if token.token_type is TokenType.WHERE:
            yield _without_clause(statement, index)
        elif token.token_type is TokenType.HAVING:
            block = statement.block_of(index)
            if block is not None and TokenType.HAVING in block.clauses:
                span = block.clauses[TokenType.HAVING]
                edit = statement.drop(Span(span.start - 1, span.stop))
                yield Change(MutationKind.HAVING, (edit,))
        elif token.token_type in (TokenType.AND, TokenType.OR):
            if statement.belongs_to_between(index):
                continue
            around = AROUND_AND if token.token_type is TokenType.AND else AROUND_OR
            left = statement.operand_before(index, around)
            right = statement.operand_after(index, around)
            if left.start == left.stop or right.start == right.stop:
                continue
            for dropped, gap in (
                (left, Span(left.start, index + 1)),
                (right, Span(index, right.stop)),
            ):
                kind = _kind_of_condition(statement, dropped)
                yield Change(kind, (statement.drop(gap),))


def filters_added(statement: Statement) -> Iterator[Change]:
    """Ask for one condition more of the rows that a SELECT reads."""
    for block in statement.blocks:
        if TokenType.FROM not in block.clauses:
            continue
        sources = [
            (source, table)
            for source in block.sources
            if (table := statement.table(source.name)) is not None
        ]
        for source, table in sources[:1] + sources[1:][-1:]:
            for column in dict.fromkeys((table.columns[0], table.columns[-1])):
                name = f"{quoted(source.alias)}.{quoted(column.name)}"
                yield _with_condition(statement, block, f"{name} {_bound(column)}")
            name = f"{quoted(source.alias)}.{quoted(table.columns[-1].name)}"
            yield _with_condition(statement, block, f"{name} IS NOT NULL")


def having_added(statement: Statement) -> Iterator[Change]:
    """Keep only groups of several rows."""
    for block in statement.blocks:
        group = block.clauses.get(TokenType.GROUP_BY)
        if group is None:
            continue
        having = block.clauses.get(TokenType.HAVING)
        if having is None:
            edit = statement.after(group.stop - 1, " HAVING COUNT(*) > 1")
            yield Change(MutationKind.HAVING, (edit,))
        else:
            brackets = (
                statement.before(having.start, "("),
                statement.after(having.stop - 1, ") AND COUNT(*) > 1"),
            )
            yield Change(MutationKind.HAVING, brackets)


def _bound(column: Column) -> str:
    declared = column.declared_type.upper()
    textual = any(word in declared for word in ("CHAR", "TEXT", "CLOB", "DATE", "TIME"))
    return "< 'M'" if textual else "> 2"


def _with_condition(statement: Statement, block: Block, condition: str) -> Change:
    where = block.clauses.get(TokenType.WHERE)
    if where is None:
        end = block.clauses[TokenType.FROM].stop - 1
        return Change(MutationKind.FILTER_ADDED, (statement.after(end, f" WHERE {condition}"),))
    return Change(
        MutationKind.FILTER_ADDED,
        (
            statement.before(where.start, "("),
            statement.after(where.stop - 1, f") AND {condition}"),
        ),
    )


def _without_clause(statement: Statement, index: int) -> Change:
    block = statement.block_of(index)
    if block is not None:
        span = block.clauses.get(TokenType.WHERE)
        if span is not None and span.start == index + 1:
            correlated = block.outer is not None and refers_outside(statement, span, block)
            kind = MutationKind.CORRELATION if correlated else MutationKind.FILTER_DROPPED
            return Change(kind, (statement.drop(Span(index, span.stop)),))
    # The WHERE of a FILTER, which goes with its brackets.
    closing = statement.partners.get(index - 1, index)
    return Change(MutationKind.FILTER_DROPPED, (statement.drop(Span(index - 2, closing + 1)),))


def _kind_of_condition(statement: Statement, dropped: Span) -> MutationKind:
    index = dropped.start
    if joined_source(statement, index) is not None:
        return MutationKind.JOIN_CONDITION
    block = statement.block_of(index)
    if block is None:
        return MutationKind.FILTER_DROPPED
    if block.clause_of(index) is TokenType.HAVING:
        return MutationKind.HAVING
    if block.outer is not None and refers_outside(statement, dropped, block):
        return MutationKind.CORRELATION
    if any(
        statement.kind(opening) is TokenType.CASE and opening < index < closing
        for opening, closing in statement.partners.items()
    ):
        return MutationKind.CASE_BRANCH
    return MutationKind.FILTER_DROPPED
