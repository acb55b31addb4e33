"""Window functions: the function, its partition and its frame."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.grouping import without_item
from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.names import quoted
from specbridge_pipeline.sql.mutation.positions import FRAME_WORDS, windows
from specbridge_pipeline.sql.mutation.statement import Span, Statement

_FUNCTIONS = {
    "ROW_NUMBER": ("RANK", "DENSE_RANK"),
    "RANK": ("DENSE_RANK", "ROW_NUMBER"),
    "DENSE_RANK": ("RANK", "ROW_NUMBER"),
    "PERCENT_RANK": ("CUME_DIST",),
    "CUME_DIST": ("PERCENT_RANK",),
    "LAG": ("LEAD",),
    "LEAD": ("LAG",),
    "FIRST_VALUE": ("LAST_VALUE",),
    "LAST_VALUE": ("FIRST_VALUE",),
}
# What is put in where no frame is written, under an order and without one.
_ORDERED = (
    "ROWS UNBOUNDED PRECEDING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
)
_UNORDERED = ("ROWS CURRENT ROW",)
_BOUNDS = {
    "UNBOUNDED PRECEDING": ("1 PRECEDING", "CURRENT ROW"),
    "CURRENT ROW": ("UNBOUNDED FOLLOWING", "1 FOLLOWING"),
    "UNBOUNDED FOLLOWING": ("CURRENT ROW", "1 FOLLOWING"),
}


def window_functions(statement: Statement) -> Iterator[Change]:
    """Take another window function, or the aggregate of the whole in the place of a window's."""
    for index, _ in statement.calls():
        after = statement.partners[index + 1] + 1
        if statement.kind(after) is not TokenType.OVER:
            continue
        for other in _FUNCTIONS.get(statement.word(index), ()):
            edit = statement.replace(Span(index, index + 1), other)
            yield Change(MutationKind.WINDOW_FUNCTION, (edit,))


def window_partitions(statement: Statement) -> Iterator[Change]:
    """Drop a partition or one of its keys, or put one in."""
    for window in windows(statement):
        partition = next(
            (at for at in statement.level(window) if statement.kind(at) is TokenType.PARTITION_BY),
            None,
        )
        if partition is not None:
            stop = next(
                (
                    at
                    for at in statement.level(Span(partition + 1, window.stop))
                    if statement.kind(at) is TokenType.ORDER_BY or statement.word(at) in FRAME_WORDS
                ),
                window.stop,
            )
            edit = statement.drop(Span(partition, stop))
            yield Change(MutationKind.WINDOW_PARTITION, (edit,))
            keys = statement.split(Span(partition + 1, stop), {TokenType.COMMA})
            for at in range(len(keys)) if len(keys) > 1 else ():
                yield Change(MutationKind.WINDOW_PARTITION, (without_item(statement, keys, at),))
            continue
        for source, table in list(statement.scope(statement.block_of(window.start - 1)))[:1]:
            for column in dict.fromkeys((table.columns[0], table.columns[-1])):
                text = f"(PARTITION BY {quoted(source.alias)}.{quoted(column.name)} "
                opening = Span(window.start - 1, window.start)
                edit = statement.replace(opening, text)
                yield Change(MutationKind.WINDOW_PARTITION, (edit,))


def window_frames(statement: Statement) -> Iterator[Change]:
    """Count a frame in other units, begin or end it elsewhere, or take the usual one."""
    for window in windows(statement):
        unit = next(
            (at for at in statement.level(window) if statement.word(at) in FRAME_WORDS), None
        )
        if unit is None:
            kinds = {statement.kind(at) for at in statement.level(window)}
            for frame in _ORDERED if TokenType.ORDER_BY in kinds else _UNORDERED:
                edit = statement.before(window.stop, f" {frame}")
                yield Change(MutationKind.WINDOW_FRAME, (edit,))
            continue
        yield Change(MutationKind.WINDOW_FRAME, (statement.drop(Span(unit, window.stop)),))
        for other in sorted(FRAME_WORDS - {statement.word(unit)}):
            edit = statement.replace(Span(unit, unit + 1), other)
            yield Change(MutationKind.WINDOW_FRAME, (edit,))
        yield from _bounds(statement, Span(unit + 1, window.stop))
        exclude = next(
            (at for at in range(unit, window.stop) if statement.word(at) == "EXCLUDE"), None
        )
        if exclude is None:
            edit = statement.before(window.stop, " EXCLUDE CURRENT ROW")
        else:
            edit = statement.drop(Span(exclude, window.stop))
        yield Change(MutationKind.WINDOW_FRAME, (edit,))


def _bounds(statement: Statement, frame: Span) -> Iterator[Change]:
    for index in range(frame.start, frame.stop - 1):
        span = Span(index, index + 2)
        written = " ".join(statement.written(span).upper().split())
        for other in _BOUNDS.get(written, ()):
            edit = statement.replace(span, other)
            yield Change(MutationKind.WINDOW_FRAME, (edit,))
        if statement.kind(index) is TokenType.NUMBER:
            number = statement.tokens[index].text
            if number.isdigit():
                edit = statement.replace(Span(index, index + 1), str(int(number) + 1))
                yield Change(MutationKind.WINDOW_FRAME, (edit,))
            unbounded = statement.replace(Span(index, index + 1), "UNBOUNDED")
            yield Change(MutationKind.WINDOW_FRAME, (unbounded,))
