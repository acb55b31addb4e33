"""A statement as the texts of its steps, so that an edit rewrites one step and no other."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from textwrap import indent

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.parsing import parse_query

_NEGATED_MISSING = re.compile(r'\bNOT ((?:\w+|"[^"]+")(?:\.(?:\w+|"[^"]+"))?) IS NULL\b')


@dataclass(frozen=True, slots=True)
class StepText:
    """The name of a WITH entry, and what stands between its parentheses as written."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement taken apart into its steps.

    Attributes:
        entries: Its WITH entries in order.
        main: Its own SELECT.
        on_lines: Whether it is written on several lines.
        engine: The engine that it is for.
    """

    entries: tuple[StepText, ...]
    main: str
    on_lines: bool
    engine: Engine = Engine.SQLITE

    def text(self, step: str) -> str | None:
        """Return the text of a step; the empty name is the statement's own SELECT."""
        if not step:
            return self.main
        return next((each.text for each in self.entries if each.name.lower() == step.lower()), None)

    def select(self, step: str) -> exp.Select | None:
        """Return the tree of a step, the caller's own to change; None where it is no SELECT."""
        text = self.text(step)
        if text is None:
            return None
        try:
            tree = parse_query(text, self.engine)
        except UnusableReferenceError:
            return None
        return tree if isinstance(tree, exp.Select) and tree.args.get("with_") is None else None

    def with_step(self, step: str, select: exp.Select) -> Statement:
        """Return the statement with another SELECT as one of its steps."""
        text = emit(select, self.engine, on_lines=self.on_lines)
        if not step:
            return replace(self, main=text)
        entries = tuple(
            StepText(each.name, self._inside(text)) if each.name.lower() == step.lower() else each
            for each in self.entries
        )
        return replace(self, entries=entries)

    def with_entry(self, name: str, select: exp.Select) -> Statement:
        """Return the statement with one more entry, the last of them."""
        entry = StepText(name, self._inside(emit(select, self.engine, on_lines=self.on_lines)))
        return replace(self, entries=(*self.entries, entry))

    def without(self, step: str) -> Statement:
        """Return the statement without an entry."""
        entries = tuple(each for each in self.entries if each.name.lower() != step.lower())
        return replace(self, entries=entries)

    def readers(self, step: str) -> tuple[str, ...]:
        """Return the names of the steps whose text names a step; empty is the statement's own."""
        named = []
        for name, text in (*((each.name, each.text) for each in self.entries), ("", self.main)):
            tables = parse_query(text, self.engine).find_all(exp.Table)
            if name.lower() != step.lower() and any(
                table.name.lower() == step.lower() for table in tables
            ):
                named.append(name)
        return tuple(named)

    def free_name(self, wanted: str, taken: frozenset[str] = frozenset()) -> str:
        """Return a name that no table, column or step of the statement has.

        Args:
            wanted: The name to use where it is free.
            taken: Further names in use, in lower case.
        """
        used = {each.name.lower() for each in self.entries} | taken
        for text in (*(each.text for each in self.entries), self.main):
            used |= {
                found.name.lower()
                for found in parse_query(text, self.engine).find_all(exp.Identifier)
            }
        name, number = wanted, 1
        while name.lower() in used:
            number += 1
            name = f"{wanted}_{number}"
        return name

    def sql(self) -> str:
        """Return the statement as SQL."""
        if not self.entries:
            return self.main
        quoted = rules_of(self.engine).quoted
        entries = ", ".join(f"{quoted(each.name)} AS ({each.text})" for each in self.entries)
        return f"WITH {entries}{chr(10) if self.on_lines else ' '}{self.main}"

    def _inside(self, text: str) -> str:
        return f"\n{indent(text, '  ')}\n" if self.on_lines else text


def read_statement(sql: str, engine: Engine = Engine.SQLITE) -> Statement | None:
    """Take a statement apart.

    Args:
        sql: One statement.
        engine: The engine that it is for.

    Returns:
        Its steps, each with the text that it has in the statement; None where the WITH clause is
        recursive, names columns, or gives hints.
    """
    try:
        tokens = sqlglot.tokenize(sql, read=rules_of(engine).dialect)
    except SqlglotError:
        return None
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    if not tokens:
        return None
    on_lines = "\n" in sql.strip()
    if tokens[0].token_type is not TokenType.WITH:
        return Statement((), sql[tokens[0].start : tokens[-1].end + 1], on_lines, engine)
    entries: list[StepText] = []
    at = 1
    while True:
        if len(tokens) < at + 4 or tokens[at + 1].token_type is not TokenType.ALIAS:
            return None
        name, opening = tokens[at], at + 2
        closing = _closing(tokens, opening)
        if closing is None or closing + 1 >= len(tokens):
            return None
        body = sql[tokens[opening].end + 1 : tokens[closing].start]
        entries.append(StepText(name.text, body))
        at = closing + 1
        if tokens[at].token_type is not TokenType.COMMA:
            break
        at += 1
    return Statement(tuple(entries), sql[tokens[at].start : tokens[-1].end + 1], on_lines, engine)


def parse_select(sql: str, engine: Engine = Engine.SQLITE) -> exp.Select:
    """Return the tree of a SELECT that the package itself has written."""
    tree = parse_query(sql, engine)
    assert isinstance(tree, exp.Select)
    return tree


def emit(tree: exp.Expr, engine: Engine = Engine.SQLITE, *, on_lines: bool = False) -> str:
    """Return a tree as SQL, with IS NOT NULL written as people write it.

    Args:
        tree: A query or an expression.
        engine: The engine that it is for.
        on_lines: Whether a SELECT gets a line for each output and clause.
    """
    dialect = rules_of(engine).dialect
    text = tree.sql(dialect)
    plain = _on_lines(tree, dialect) if on_lines and isinstance(tree, exp.Select) else _plain(text)
    # Inside a string literal a replacement would change what is compared, and a clause that the
    # layout does not know would be lost.
    if plain == text or _parsed(plain, dialect) == _parsed(text, dialect):
        return plain
    return text


def with_plain_negations(sql: str, engine: Engine = Engine.SQLITE) -> str:
    """Return a query with IS NOT NULL written as people write it, where that changes nothing else.

    Args:
        sql: The query, as a tree is written.
        engine: The engine that it is for.
    """
    plain, dialect = _plain(sql), rules_of(engine).dialect
    # Inside a string literal a replacement would change what is compared.
    return plain if plain == sql or _parsed(plain, dialect) == _parsed(sql, dialect) else sql


def _plain(text: str) -> str:
    return _NEGATED_MISSING.sub(r"\1 IS NOT NULL", text)


def _parsed(text: str, dialect: str) -> exp.Expr:
    return sqlglot.parse_one(text, read=dialect)


def _on_lines(select: exp.Select, dialect: str) -> str:
    outputs = ",\n".join(f"  {_plain(item.sql(dialect))}" for item in select.expressions)
    lines = ["SELECT DISTINCT" if select.args.get("distinct") else "SELECT", outputs]
    clauses = [select.args.get("from_"), *(select.args.get("joins") or ())]
    clauses += [select.args.get(each) for each in ("where", "group", "having", "order", "limit")]
    clauses.append(select.args.get("offset"))
    lines += [_plain(each.sql(dialect)).strip() for each in clauses if each is not None]
    return "\n".join(lines)


def _closing(tokens: list[Token], opening: int) -> int | None:
    if tokens[opening].token_type is not TokenType.L_PAREN:
        return None
    depth = 0
    for at in range(opening, len(tokens)):
        if tokens[at].token_type is TokenType.L_PAREN:
            depth += 1
        elif tokens[at].token_type is TokenType.R_PAREN:
            depth -= 1
            if depth == 0:
                return at
    return None
