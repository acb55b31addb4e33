"""Where in a statement a token stands, as far as several mutations ask for it."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.statement import CLAUSES, Block, Source, Span, Statement

FRAME_WORDS = frozenset({"ROWS", "RANGE", "GROUPS"})


def in_cut(statement: Statement, index: int) -> bool:
    """Say whether a token stands in a LIMIT or OFFSET."""
    block = statement.block_of(index)
    return block is not None and block.clause_of(index) in (TokenType.LIMIT, TokenType.OFFSET)


def in_frame(statement: Statement, index: int) -> bool:
    """Say whether a token is a number of rows in a window's frame."""
    return statement.word(index + 1) in ("PRECEDING", "FOLLOWING")


def stands_for_output(statement: Statement, index: int) -> bool:
    """Say whether a number is a whole key of ORDER BY or GROUP BY: the place of an output."""
    before, after = statement.kind(index - 1), statement.kind(index + 1)
    block = statement.block_of(index)
    if block is None or statement.kind(index) is not TokenType.NUMBER:
        return False
    return (
        block.clause_of(index) in (TokenType.ORDER_BY, TokenType.GROUP_BY)
        and before in (TokenType.ORDER_BY, TokenType.GROUP_BY, TokenType.COMMA)
        and (
            after in (TokenType.COMMA, TokenType.ASC, TokenType.DESC, TokenType.R_PAREN, None)
            or after in CLAUSES
        )
    )


def is_outermost(block: Block, statement: Statement) -> bool:
    """Say whether a SELECT gives the statement's own rows: it stands in no bracket."""
    return not any(
        opening < block.first < closing for opening, closing in statement.partners.items()
    )


def windows(statement: Statement) -> Iterator[Span]:
    """Yield what stands in the brackets of each OVER and of each named window."""
    for index in range(1, len(statement.tokens)):
        if statement.kind(index) is not TokenType.L_PAREN:
            continue
        if statement.kind(index - 1) is TokenType.OVER or _defines_window(statement, index):
            yield Span(index + 1, statement.partners[index])


def _defines_window(statement: Statement, index: int) -> bool:
    block = statement.block_of(index)
    return (
        statement.kind(index - 1) is TokenType.ALIAS
        and block is not None
        and block.clause_of(index) is TokenType.WINDOW
    )


def joined_source(statement: Statement, index: int) -> Source | None:
    """Return the table whose join condition holds a token."""
    block = statement.block_of(index)
    for source in block.sources if block is not None else ():
        for span in (source.on, source.using):
            if span is not None and span.start <= index < span.stop:
                return source
    return None


def refers_outside(statement: Statement, span: Span, block: Block) -> bool:
    """Say whether tokens name a column of a SELECT around the one in which they stand."""
    own = {id(source) for source in block.sources}
    for index in range(span.start, span.stop):
        if statement.kind(index + 1) is TokenType.DOT and statement.kind(index - 1) is not (
            TokenType.DOT
        ):
            alias = statement.tokens[index].text.lower()
            outer = block.outer
            inside = any(source.alias == alias for source in block.sources)
            while outer is not None and not inside:
                if any(source.alias == alias for source in outer.sources):
                    return True
                outer = outer.outer
        elif (
            index in statement.columns
            and statement.block_of(index) is block
            and id(statement.columns[index][0]) not in own
        ):
            return True
    return False
