"""Constants: other numbers, other texts, and a number as text or the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.positions import in_cut, in_frame, stands_for_output
from specbridge_pipeline.sql.mutation.statement import Span, Statement


def constants(statement: Statement) -> Iterator[Change]:
    """Put another constant in the place of one."""
    for index, token in enumerate(statement.tokens):
        span = Span(index, index + 1)
        if token.token_type is TokenType.NUMBER:
            if in_cut(statement, index) or in_frame(statement, index):
                continue
            others = _other_numbers(token.text, ordinal=stands_for_output(statement, index))
        elif token.token_type is TokenType.STRING:
            others = [_quoted(text, "'") for text in _other_texts(token.text)]
            if _is_number(token.text):
                others.append(token.text)
        elif token.token_type is TokenType.HEX_STRING:
            others = [f"x'{token.text}00'", _quoted(token.text, "'")]
        elif _is_text_in_double_quotes(statement, index):
            others = [_quoted(text, '"') for text in _other_texts(token.text)]
        else:
            continue
        for other in others:
            yield Change(MutationKind.CONSTANT, (statement.replace(span, other),))


def _other_numbers(text: str, *, ordinal: bool) -> list[str]:
    if not text.isdigit():
        return [f"({text} + 1)", f"({text} * 2)", f"'{text}'"]
    number = int(text)
    if ordinal:
        # The number of an output column.
        return [str(number + 1), *([str(number - 1)] if number > 1 else [])]
    return [str(number + 1), *([str(number - 1)] if number else []), f"{number}.0", f"'{text}'"]


def _other_texts(text: str) -> list[str]:
    found = [text + "x", text.swapcase(), text + " "]
    if "%" in text:
        found.append(text.replace("%", "", 1))
        found.append(text.replace("%", "_", 1))
    elif text:
        found.append(text[1:])
    return [other for other in dict.fromkeys(found) if other != text]


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit() and text.isascii()


def _is_text_in_double_quotes(statement: Statement, index: int) -> bool:
    """Say whether a quoted name names nothing, which makes it a text to SQLite."""
    if statement.kind(index) is not TokenType.IDENTIFIER or statement.is_column(index):
        return False
    if statement.text[statement.tokens[index].start] != '"':
        return False
    if TokenType.DOT in (statement.kind(index - 1), statement.kind(index + 1)):
        return False
    block = statement.block_of(index)
    if block is None or statement.kind(index - 1) is TokenType.ALIAS:
        return False
    names = {
        statement.tokens[at + 1].text.lower()
        for at in range(len(statement.tokens) - 1)
        if statement.kind(at) is TokenType.ALIAS
    }
    inside = any(
        source.span.start <= index < source.span.stop for source in block.sources if source.name
    )
    return statement.tokens[index].text.lower() not in names and not inside


def _quoted(text: str, quote: str) -> str:
    return quote + text.replace(quote, quote * 2) + quote
