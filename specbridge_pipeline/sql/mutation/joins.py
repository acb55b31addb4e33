"""Joins: their kind and their condition."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.names import quoted
from specbridge_pipeline.sql.mutation.statement import Source, Span, Statement

_SIDES = ("LEFT", "RIGHT", "FULL")


def join_kinds(statement: Statement) -> Iterator[Change]:
    """Keep unmatched rows that are dropped, or drop those that are kept."""
    for block in statement.blocks:
        for source in block.sources[1:]:
            words = statement.written(source.joined_by).upper().split()
            if "," in words or ("NATURAL" in words and "JOIN" not in words):
                continue
            side = next((word for word in words if word in _SIDES), "")
            for other in ("", *_SIDES):
                if other == side or (other and source.on is None and source.using is None):
                    continue
                natural = "NATURAL " if "NATURAL" in words else ""
                edit = statement.replace(source.joined_by, f"{natural}{other} JOIN".strip())
                yield Change(MutationKind.JOIN_KIND, (edit,))


def join_conditions(statement: Statement) -> Iterator[Change]:
    """Join all rows with all rows, by less, or filter where a join was conditioned."""
    for block in statement.blocks:
        for source in block.sources[1:]:
            if TokenType.NATURAL in map(statement.kind, _indices(source.joined_by)):
                words = statement.written(source.joined_by).upper().split()
                words.remove("NATURAL")
                edit = statement.replace(source.joined_by, " ".join(words))
                yield Change(MutationKind.JOIN_CONDITION, (edit,))
            if source.on is not None:
                yield from _without(statement, Span(source.on.start - 1, source.on.stop))
                yield from _moved(statement, source, block.clauses.get(TokenType.WHERE), block.stop)
            if source.using is not None:
                begin = source.using.start - 2
                yield from _without(statement, Span(begin, source.using.stop + 1))
                yield from _compared(statement, block.sources, source)
                for at, each in enumerate(
                    parts := statement.split(source.using, {TokenType.COMMA})
                ):
                    if len(parts) > 1:
                        gap = (
                            Span(each.start - 1, each.stop)
                            if at
                            else Span(each.start, each.stop + 1)
                        )
                        yield Change(MutationKind.JOIN_CONDITION, (statement.drop(gap),))


def _compared(
    statement: Statement, sources: tuple[Source, ...], source: Source
) -> Iterator[Change]:
    """Compare a column in the place of merging it with its namesake."""
    assert source.using is not None
    if source.using.stop - source.using.start != 1:
        return
    name = statement.tokens[source.using.start].text
    for other in sources[: sources.index(source)]:
        table = statement.table(other.name)
        if table is not None and any(each.name.lower() == name.lower() for each in table.columns):
            left, right = quoted(other.alias), quoted(source.alias)
            whole = Span(source.using.start - 2, source.using.stop + 1)
            text = f"ON {left}.{quoted(name)} = {right}.{quoted(name)}"
            yield Change(MutationKind.JOIN_CONDITION, (statement.replace(whole, text),))
            return


def _without(statement: Statement, condition: Span) -> Iterator[Change]:
    yield Change(MutationKind.JOIN_CONDITION, (statement.drop(condition),))


def _moved(statement: Statement, source: Source, where: Span | None, stop: int) -> Iterator[Change]:
    """Ask for the last part of a condition after the join instead of for the join."""
    assert source.on is not None
    parts = statement.split(source.on, {TokenType.AND})
    if len(parts) < 2 or len(statement.split(source.on, {TokenType.OR})) > 1:
        return
    last = parts[-1]
    text = statement.written(last)
    edits = [statement.drop(Span(last.start - 1, last.stop))]
    if where is not None:
        edits.append(statement.before(where.start, f"({text}) AND ("))
        edits.append(statement.after(where.stop - 1, ")"))
    else:
        block = statement.block_of(source.span.start)
        assert block is not None
        end = block.clauses[TokenType.FROM].stop - 1
        if end == last.stop - 1:
            edits = [statement.replace(Span(last.start - 1, last.stop), f"WHERE {text}")]
        else:
            edits.append(statement.after(end, f" WHERE {text}"))
    yield Change(MutationKind.JOIN_CONDITION, tuple(edits))


def _indices(span: Span) -> range:
    return range(span.start, span.stop)
