"""Output columns: which there are, their order, and what the outermost are called."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.grouping import without_item
from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.names import quoted
from specbridge_pipeline.sql.mutation.positions import is_outermost
from specbridge_pipeline.sql.mutation.statement import Block, Span, Statement


def output_columns(statement: Statement) -> Iterator[Change]:
    """Return a column less, or one twice."""
    for block in statement.blocks:
        items = output_items(statement, block)
        for at in range(len(items)) if len(items) > 1 else ():
            yield Change(MutationKind.OUTPUT_COLUMN, (without_item(statement, items, at),))
        if len(items) == 1 and statement.written(items[0]) == "*" and len(block.sources) > 1:
            for source in block.sources:
                if source.alias:
                    edit = statement.replace(items[0], f"{quoted(source.alias)}.*")
                    yield Change(MutationKind.OUTPUT_COLUMN, (edit,))
        if is_outermost(block, statement) and statement.kind(items[0].start) is not TokenType.STAR:
            edit = statement.before(items[0].start, f"{_value(statement, items[0])}, ")
            yield Change(MutationKind.OUTPUT_COLUMN, (edit,))


def output_order(statement: Statement) -> Iterator[Change]:
    """Exchange two neighbouring output columns."""
    for block in statement.blocks:
        items = output_items(statement, block)
        for one, other in pairwise(items):
            yield Change(MutationKind.OUTPUT_ORDER, statement.exchange(one, other))


def output_names(statement: Statement) -> Iterator[Change]:
    """Call an output column of the statement by another name."""
    for block in statement.blocks[:1] if statement.kind(0) is TokenType.SELECT else ():
        for item in output_items(statement, block):
            if statement.kind(item.stop - 2) is not TokenType.ALIAS:
                continue
            name = statement.tokens[item.stop - 1].text
            other = f'"{name}_2"'
            # Keys that are written as the output's name go on meaning the output.
            uses = [
                index
                for index in range(item.stop, len(statement.tokens))
                if statement.is_word(index)
                and statement.tokens[index].text.lower() == name.lower()
                and statement.block_of(index) is block
                and not statement.is_column(index)
                and TokenType.DOT not in (statement.kind(index - 1), statement.kind(index + 1))
            ]
            edits = [
                statement.replace(Span(index, index + 1), other) for index in (item.stop - 1, *uses)
            ]
            yield Change(MutationKind.OUTPUT_NAME, tuple(edits))


def output_items(statement: Statement, block: Block) -> list[Span]:
    """Return the items of a SELECT's list, without DISTINCT before the first."""
    span = block.clauses[TokenType.SELECT]
    start = span.start
    if statement.kind(start) in (TokenType.DISTINCT, TokenType.ALL):
        start += 1
    return statement.split(Span(start, span.stop), {TokenType.COMMA})


def _value(statement: Statement, item: Span) -> str:
    """Return an item without the name that it is given."""
    if statement.kind(item.stop - 2) is TokenType.ALIAS:
        item = Span(item.start, item.stop - 2)
    return statement.written(item)
