"""Order keys, directions, LIMIT and OFFSET."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.grouping import without_item
from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.positions import FRAME_WORDS, stands_for_output, windows
from specbridge_pipeline.sql.mutation.statement import CLAUSES, Span, Statement


def order_clauses(statement: Statement) -> Iterator[tuple[Span, bool]]:
    """Yield the keys after each ORDER BY, and whether it is that of a window."""
    framed = [(window.start, window.stop) for window in windows(statement)]
    for index, token in enumerate(statement.tokens):
        if token.token_type is not TokenType.ORDER_BY:
            continue
        stop = index + 1
        while stop < len(statement.tokens):
            kind = statement.kind(stop)
            if kind is TokenType.R_PAREN or kind in CLAUSES or statement.word(stop) in FRAME_WORDS:
                break
            stop = max(statement.partners.get(stop, stop), stop) + 1
        inside = [(start, end) for start, end in framed if start <= index < end]
        innermost = max(inside, default=None)
        # A subquery inside a window's brackets has an order of its own.
        block = statement.block_of(index)
        in_window = innermost is not None and (block is None or block.first < innermost[0])
        yield Span(index + 1, stop), in_window


def order_keys(statement: Statement) -> Iterator[Change]:
    """Order by a key less, by the keys in another turn, or not at all."""
    for span, in_window in order_clauses(statement):
        kind = MutationKind.WINDOW_ORDER if in_window else MutationKind.ORDER_KEY
        keys = statement.split(span, {TokenType.COMMA})
        for at in range(len(keys)) if len(keys) > 1 else ():
            yield Change(kind, (without_item(statement, keys, at),))
        if len(keys) > 1:
            yield Change(kind, statement.exchange(keys[0], keys[1]))
        yield Change(kind, (statement.drop(Span(span.start - 1, span.stop)),))
        for key in keys:
            if stands_for_output(statement, key.start):
                # A calculated number is the same for all rows.
                yield Change(kind, (statement.after(key.start, " + 0"),))


def directions(statement: Statement) -> Iterator[Change]:
    """Turn the direction of a key."""
    for span, in_window in order_clauses(statement):
        kind = MutationKind.WINDOW_ORDER if in_window else MutationKind.DIRECTION
        for key in statement.split(span, {TokenType.COMMA}):
            written = next(
                (
                    index
                    for index in statement.level(key)
                    if statement.kind(index) in (TokenType.ASC, TokenType.DESC)
                ),
                None,
            )
            if written is not None:
                other = "ASC" if statement.kind(written) is TokenType.DESC else "DESC"
                yield Change(kind, (statement.replace(Span(written, written + 1), other),))
                continue
            nulls = next(
                (index for index in statement.level(key) if statement.word(index) == "NULLS"),
                key.stop,
            )
            yield Change(kind, (statement.after(nulls - 1, " DESC"),))


def cuts(statement: Statement) -> Iterator[Change]:
    """Keep a row more or less, skip a row more or less, or cut nothing; cut where nothing is."""
    for block in statement.blocks:
        limit = block.clauses.get(TokenType.LIMIT)
        offset = block.clauses.get(TokenType.OFFSET)
        if limit is None:
            end = block.stop - 1
            after = statement.kind(block.stop)
            if after is None or after is TokenType.R_PAREN:
                yield Change(MutationKind.LIMIT, (statement.after(end, " LIMIT 1"),))
            continue
        stop = offset.stop if offset is not None else limit.stop
        dropped = statement.drop(Span(limit.start - 1, stop))
        yield Change(MutationKind.LIMIT, (dropped,))
        parts = statement.split(limit, {TokenType.COMMA})
        for part in [*parts, *([offset] if offset is not None else [])]:
            if part.stop - part.start != 1 or statement.kind(part.start) is not TokenType.NUMBER:
                continue
            text = statement.written(part)
            if not text.isdigit():
                continue
            for number in (int(text) + 1, int(text) - 1):
                if number >= 0:
                    edit = statement.replace(part, str(number))
                    yield Change(MutationKind.LIMIT, (edit,))
        if offset is not None:
            edit = statement.drop(Span(offset.start - 1, offset.stop))
            yield Change(MutationKind.LIMIT, (edit,))
            yield Change(MutationKind.LIMIT, statement.exchange(limit, offset))
        elif len(parts) == 2:
            yield Change(MutationKind.LIMIT, statement.exchange(parts[0], parts[1]))
        else:
            yield Change(MutationKind.LIMIT, (statement.after(limit.stop - 1, " OFFSET 1"),))
