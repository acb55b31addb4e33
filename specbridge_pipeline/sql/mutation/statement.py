"""A statement as tokens: its brackets, the clauses of each SELECT, and what names stand for.

Mutations are made in the text itself. Writing a changed tree back would change more than the one
thing, since a generator has its own way of writing casts, quotes and functions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import sqlglot
from sqlglot.tokenizer_core import Token, TokenType

from specbridge_pipeline.databases.schema import Column, Schema, Table
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.mutation.kinds import Edit

SET_OPERATORS = frozenset({TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT})
CLAUSES = frozenset(
    {
        TokenType.SELECT,
        TokenType.FROM,
        TokenType.WHERE,
        TokenType.GROUP_BY,
        TokenType.HAVING,
        TokenType.WINDOW,
        TokenType.ORDER_BY,
        TokenType.LIMIT,
        TokenType.OFFSET,
    }
)
JOIN_WORDS = frozenset(
    {
        TokenType.NATURAL,
        TokenType.LEFT,
        TokenType.RIGHT,
        TokenType.FULL,
        TokenType.OUTER,
        TokenType.INNER,
        TokenType.CROSS,
        TokenType.JOIN,
    }
)
AROUND_AND = frozenset(
    {
        TokenType.AND,
        TokenType.OR,
        TokenType.COMMA,
        TokenType.ON,
        TokenType.WHEN,
        TokenType.THEN,
        TokenType.ELSE,
        TokenType.ALIAS,
    }
)
"""What a condition ends at that AND joins, clauses and brackets apart."""
AROUND_OR = AROUND_AND - {TokenType.AND}
"""The same for OR, which binds less tightly."""
_VALUES = frozenset({TokenType.STRING, TokenType.NUMBER, TokenType.HEX_STRING})
_BEFORE_QUERY = frozenset({TokenType.SELECT, TokenType.WITH, TokenType.VALUES})


@dataclass(frozen=True, slots=True)
class Span:
    """Neighbouring tokens.

    Attributes:
        start: Index of the first.
        stop: Index after the last.
    """

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Source:
    """A table in a FROM.

    Attributes:
        span: Its tokens with its alias, and without its join and condition.
        name: The table's name as written; None for a subquery.
        alias: What columns of it are qualified by, in lower case; empty if it has no name.
        joined_by: The words that join it to what stands before it; empty for the first. A comma
            is one of them.
        on: The condition after ON, if there is one.
        using: The columns in the brackets of USING, if there are some.
    """

    span: Span
    name: str | None
    alias: str
    joined_by: Span
    on: Span | None
    using: Span | None


@dataclass(frozen=True, slots=True)
class Block:
    """A SELECT with the clauses that follow it on the same level.

    Attributes:
        first: Index of its SELECT.
        stop: Index after its last token.
        outer: The block in one of whose clauses it stands, if any.
        clauses: The tokens after each keyword.
        sources: The tables of its FROM.
    """

    first: int
    stop: int
    outer: Block | None
    clauses: dict[TokenType, Span]
    sources: tuple[Source, ...] = field(default=())

    def clause_of(self, index: int) -> TokenType | None:
        """Return the keyword of the clause in which a token stands."""
        for keyword, span in self.clauses.items():
            if span.start <= index < span.stop:
                return keyword
        return None


class Statement:
    """A statement as tokens.

    Args:
        sql: Its text.
        schema: The tables that it can read.

    Raises:
        TokenError: The text cannot be divided into tokens.
    """

    def __init__(self, sql: str, schema: Schema) -> None:
        self.text = sql
        self.schema = schema
        tokens = sqlglot.tokenize(sql, read=rules_of(schema.engine).dialect)
        self.tokens: tuple[Token, ...] = tuple(
            each for each in tokens if each.token_type is not TokenType.SEMICOLON
        )
        self.partners = self._find_partners()
        self._tables = {table.name.lower(): table for table in schema.tables}
        self.blocks = self._find_blocks()

    def kind(self, index: int) -> TokenType | None:
        """Return the type of a token; None beyond either end."""
        return self.tokens[index].token_type if 0 <= index < len(self.tokens) else None

    def word(self, index: int) -> str:
        """Return a token as it is written, in upper case; empty beyond either end."""
        if not 0 <= index < len(self.tokens):
            return ""
        return self.written(Span(index, index + 1)).upper()

    def written(self, span: Span) -> str:
        """Return the text of tokens as it stands."""
        if span.start >= span.stop:
            return ""
        return self.text[self.tokens[span.start].start : self.tokens[span.stop - 1].end + 1]

    def level(self, span: Span) -> Iterator[int]:
        """Yield the indices of tokens that stand in no bracket, an opening one included."""
        index = span.start
        while index < span.stop:
            yield index
            index = max(self.partners.get(index, index), index) + 1

    def split(self, span: Span, separators: Collection[TokenType]) -> list[Span]:
        """Divide tokens at separators that stand in no bracket; the AND of BETWEEN is none."""
        parts, start = [], span.start
        for index in self.level(span):
            if self.kind(index) in separators and not self.belongs_to_between(index):
                parts.append(Span(start, index))
                start = index + 1
        return [*parts, Span(start, span.stop)]

    def belongs_to_between(self, index: int) -> bool:
        """Say whether an AND stands between two bounds."""
        if self.kind(index) is not TokenType.AND:
            return False
        bounds = 0
        for before in self._back(index):
            kind = self.kind(before)
            if kind is TokenType.AND:
                bounds -= 1
            elif kind is TokenType.BETWEEN:
                bounds += 1
                if bounds > 0:
                    return True
            elif kind in CLAUSES or kind in (TokenType.COMMA, TokenType.OR, TokenType.ON):
                return False
        return False

    def operand_before(self, index: int, boundaries: Collection[TokenType]) -> Span:
        """Return what stands before a token up to a boundary on its level."""
        start = index
        for before in self._back(index):
            if self._bounds(before, boundaries):
                break
            start = before
        return Span(start, index)

    def operand_after(self, index: int, boundaries: Collection[TokenType]) -> Span:
        """Return what stands after a token up to a boundary on its level."""
        stop = index + 1
        between = False
        while stop < len(self.tokens):
            kind = self.kind(stop)
            if kind in (TokenType.R_PAREN, TokenType.END):
                break
            if between and kind is TokenType.AND:
                between = False
            elif self._bounds(stop, boundaries):
                break
            between = between or kind is TokenType.BETWEEN
            stop = max(self.partners.get(stop, stop), stop) + 1
        return Span(index + 1, stop)

    def primary_before(self, index: int) -> Span | None:
        """Return the value that ends right before a token: a name, a literal, a call, brackets."""
        last = index - 1
        start = last
        if self.kind(last) in (TokenType.R_PAREN, TokenType.END):
            start = self.partners[last]
            if self.kind(start) is TokenType.L_PAREN and self.is_word(start - 1):
                start -= 1
        elif not (self.is_word(last) or self.kind(last) in _VALUES):
            return None
        while self.kind(start - 1) is TokenType.DOT:
            start -= 2
        return Span(start, index)

    def primary_after(self, index: int) -> Span | None:
        """Return the value that begins right after a token."""
        start = stop = index + 1
        if self.kind(start) in (TokenType.L_PAREN, TokenType.CASE):
            return Span(start, self.partners[start] + 1)
        if not (self.is_word(start) or self.kind(start) in _VALUES):
            return None
        while self.kind(stop + 1) is TokenType.DOT:
            stop += 2
        if self.kind(stop + 1) is TokenType.L_PAREN:
            stop = self.partners[stop + 1]
        return Span(start, stop + 1)

    def is_word(self, index: int) -> bool:
        """Say whether a token is a name, quoted or not, or a keyword that could be one."""
        kind = self.kind(index)
        if kind is None or kind in _VALUES or kind in CLAUSES:
            return False
        return kind is TokenType.IDENTIFIER or self.word(index)[:1].isidentifier()

    def calls(self) -> Iterator[tuple[int, list[Span]]]:
        """Yield the name of each function that is called, with its arguments."""
        for index in range(len(self.tokens) - 1):
            if not self.is_word(index) or self.kind(index + 1) is not TokenType.L_PAREN:
                continue
            if self.word(index) in _NO_FUNCTIONS or self.kind(index - 1) is TokenType.WITH:
                continue
            inside = Span(index + 2, self.partners[index + 1])
            if self.kind(inside.start) in _BEFORE_QUERY:
                continue
            empty = inside.start == inside.stop
            yield index, [] if empty else self.split(inside, {TokenType.COMMA})

    def block_of(self, index: int) -> Block | None:
        """Return the innermost SELECT around a token."""
        return self._owners[index]

    def is_column(self, index: int) -> bool:
        """Say whether a token is the name of a column of a table that is read there."""
        return index in self.columns

    def table(self, name: str | None) -> Table | None:
        """Return a table of the schema; None where a WITH entry has the name."""
        if name is None or name.lower() in self._entries:
            return None
        return self._tables.get(name.lower())

    def scope(self, block: Block | None) -> Iterator[tuple[Source, Table]]:
        """Yield the tables of a SELECT and of those around it, the nearest first."""
        while block is not None:
            for source in block.sources:
                table = self.table(source.name)
                if table is not None:
                    yield source, table
            block = block.outer

    @cached_property
    def columns(self) -> dict[int, tuple[Source, Table, Column]]:
        """The column names in the text, by index, with what they stand for."""
        found = {}
        for index in range(len(self.tokens)):
            if self._may_be_column(index):
                meant = self._meaning(index)
                if meant is not None:
                    found[index] = meant
        return found

    def replace(self, span: Span, text: str) -> Edit:
        """Return the edit that puts a text in the place of tokens."""
        return Edit(self.tokens[span.start].start, self.tokens[span.stop - 1].end + 1, text)

    def drop(self, span: Span) -> Edit:
        """Return the edit that takes tokens away."""
        return self.replace(span, "")

    def before(self, index: int, text: str) -> Edit:
        """Return the edit that puts a text before a token."""
        at = self.tokens[index].start
        return Edit(at, at, text)

    def after(self, index: int, text: str) -> Edit:
        """Return the edit that puts a text after a token."""
        at = self.tokens[index].end + 1
        return Edit(at, at, text)

    def exchange(self, one: Span, other: Span) -> tuple[Edit, Edit]:
        """Return the edits that put tokens in the place of others and these in theirs."""
        return self.replace(one, self.written(other)), self.replace(other, self.written(one))

    def _back(self, index: int) -> Iterator[int]:
        """Yield the tokens before one on its level, the nearest first."""
        before = index - 1
        while before >= 0:
            kind = self.kind(before)
            if kind in (TokenType.L_PAREN, TokenType.CASE) and self.partners[before] > index:
                return
            before = min(self.partners.get(before, before), before)
            yield before
            before -= 1

    def _bounds(self, index: int, boundaries: Collection[TokenType]) -> bool:
        kind = self.kind(index)
        if kind in CLAUSES or kind in SET_OPERATORS or kind in JOIN_WORDS:
            return not (kind in JOIN_WORDS and self.kind(index + 1) is TokenType.L_PAREN)
        return kind in boundaries and not self.belongs_to_between(index)

    def _find_partners(self) -> dict[int, int]:
        partners: dict[int, int] = {}
        opened: list[int] = []
        for index, token in enumerate(self.tokens):
            if token.token_type in (TokenType.L_PAREN, TokenType.CASE):
                opened.append(index)
            elif token.token_type in (TokenType.R_PAREN, TokenType.END) and opened:
                opening = opened.pop()
                partners[opening], partners[index] = index, opening
        # What is never closed ends with the statement, which no parser accepts anyway.
        partners.update({opening: len(self.tokens) for opening in opened})
        return partners

    def _find_blocks(self) -> tuple[Block, ...]:
        self._owners: list[Block | None] = [None] * len(self.tokens)
        self._entries = {
            self.tokens[at].text.lower()
            for at in range(len(self.tokens))
            if self.kind(at - 1) in (TokenType.WITH, TokenType.RECURSIVE, TokenType.COMMA)
            and self._names_an_entry(at)
        }
        blocks = []
        for index, token in enumerate(self.tokens):
            if token.token_type is not TokenType.SELECT:
                continue
            block = self._block(index)
            blocks.append(block)
            self._owners[index : block.stop] = [block] * (block.stop - index)
        return tuple(blocks)

    def _names_an_entry(self, index: int) -> bool:
        after = index + 1
        if self.kind(after) is TokenType.L_PAREN:
            after = self.partners[after] + 1
        if self.kind(after) is not TokenType.ALIAS:
            return False
        while self.word(after + 1) in ("NOT", "MATERIALIZED"):
            after += 1
        return self.kind(after + 1) is TokenType.L_PAREN and (
            self.kind(after + 2) in (*_BEFORE_QUERY, TokenType.L_PAREN)
        )

    def _block(self, first: int) -> Block:
        stop = first + 1
        starts = [first]
        while stop < len(self.tokens):
            kind = self.kind(stop)
            if kind is TokenType.R_PAREN or kind in SET_OPERATORS:
                break
            # IS DISTINCT FROM is no clause.
            if kind in CLAUSES and not (
                kind is TokenType.FROM and self.kind(stop - 1) is TokenType.DISTINCT
            ):
                starts.append(stop)
            stop = max(self.partners.get(stop, stop), stop) + 1
        clauses: dict[TokenType, Span] = {}
        for start, end in zip(starts, [*starts[1:], stop], strict=True):
            kind = self.kind(start)
            assert kind is not None
            clauses[kind] = Span(start + 1, end)
        sources = self._sources(clauses[TokenType.FROM]) if TokenType.FROM in clauses else ()
        return Block(first, stop, self._owners[first], clauses, sources)

    def _sources(self, span: Span) -> tuple[Source, ...]:
        found: list[Source] = []
        start, joined_by = span.start, Span(span.start, span.start)
        inside = list(self.level(span))
        while start < span.stop:
            end = next(
                (at for at in inside if at > start and self._begins_join(at)),
                span.stop,
            )
            found.append(self._source(Span(start, end), joined_by))
            words = end
            while words < span.stop and self._begins_join(words):
                words += 1
            joined_by, start = Span(end, words), words
        return tuple(found)

    def _begins_join(self, index: int) -> bool:
        kind = self.kind(index)
        return (
            kind is TokenType.COMMA
            or (kind in JOIN_WORDS and self.kind(index + 1) is not TokenType.L_PAREN)
            or kind is TokenType.JOIN
        )

    def _source(self, span: Span, joined_by: Span) -> Source:
        on = using = None
        stop = span.stop
        for index in self.level(span):
            if self.kind(index) is TokenType.ON:
                on, stop = Span(index + 1, span.stop), index
                break
            if self.kind(index) is TokenType.USING:
                using, stop = Span(index + 2, self.partners[index + 1]), index
                break
        name, alias = None, ""
        at = span.start
        if self.kind(at) is TokenType.L_PAREN:
            at = self.partners[at]
        else:
            while self.kind(at + 1) is TokenType.DOT:
                at += 2
            name = alias = self.tokens[at].text if at < stop else ""
            if self.kind(at + 1) is TokenType.L_PAREN:
                name, at = None, self.partners[at + 1]
        if at + 1 < stop:
            alias = self.tokens[stop - 1].text
        return Source(Span(span.start, stop), name, alias.lower(), joined_by, on, using)

    def _may_be_column(self, index: int) -> bool:
        if not self.is_word(index) or self.kind(index - 1) is TokenType.ALIAS:
            return False
        if self.kind(index + 1) in (TokenType.L_PAREN, TokenType.DOT):
            return False
        block = self._owners[index]
        if block is None:
            return False
        return not any(
            source.span.start <= index < source.span.stop
            for source in block.sources
            if self.kind(source.span.start) is not TokenType.L_PAREN
        )

    def _meaning(self, index: int) -> tuple[Source, Table, Column] | None:
        name = self.tokens[index].text.lower()
        qualifier = None
        if self.kind(index - 1) is TokenType.DOT:
            qualifier = self.tokens[index - 2].text.lower()
        for source, table in self.scope(self._owners[index]):
            if qualifier is not None and source.alias != qualifier:
                continue
            for column in table.columns:
                if column.name.lower() == name:
                    return source, table, column
        return None


_NO_FUNCTIONS = frozenset(
    {
        "IN", "AND", "OR", "NOT", "ON", "AS", "OVER", "FILTER", "VALUES", "EXISTS", "FROM", "JOIN",
        "WHERE", "WHEN", "THEN", "ELSE", "CASE", "SELECT", "DISTINCT", "BETWEEN", "LIKE", "GLOB",
        "IS", "BY", "HAVING", "LIMIT", "OFFSET", "USING", "UNION", "ALL", "EXCEPT", "INTERSECT",
        "RECURSIVE", "MATERIALIZED", "ESCAPE", "COLLATE", "END",
    }
)  # fmt: skip
