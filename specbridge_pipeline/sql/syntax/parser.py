"""From a statement to its syntax tree, by SQLite's own grammar and precedence."""

from __future__ import annotations

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.sql.parsing import shorten
from specbridge_pipeline.sql.syntax.nodes import (
    Between,
    Binary,
    Blob,
    Bound,
    Call,
    Case,
    Cast,
    Collate,
    Constant,
    Core,
    Exists,
    Expression,
    Frame,
    From,
    FromItem,
    FunctionItem,
    InList,
    InQuery,
    IsNull,
    Item,
    Join,
    JoinedItem,
    Matched,
    Moment,
    Name,
    Number,
    Ordering,
    Query,
    QueryItem,
    Row,
    Scalar,
    Select,
    Star,
    TableItem,
    Text,
    Unary,
    Values,
    Window,
    WithEntry,
)
from specbridge_pipeline.sql.syntax.tokens import Kind, Token, TokenError, tokens_of

# Words that are never names, in SQLite's grammar.
_RESERVED = frozenset(
    {
        "ADD", "ALL", "ALTER", "AND", "AS", "AUTOINCREMENT", "BETWEEN", "CASE", "CHECK", "COLLATE",
        "COMMIT", "CONSTRAINT", "CREATE", "DEFAULT", "DEFERRABLE", "DELETE", "DISTINCT", "DROP",
        "ELSE", "ESCAPE", "EXCEPT", "EXISTS", "FOREIGN", "FROM", "GROUP", "HAVING", "IN", "INDEX",
        "INSERT", "INTERSECT", "INTO", "IS", "ISNULL", "JOIN", "LIMIT", "NOT", "NOTHING", "NOTNULL",
        "NULL", "ON", "OR", "ORDER", "PRIMARY", "REFERENCES", "RETURNING", "SELECT", "SET", "TABLE",
        "THEN", "TO", "TRANSACTION", "UNION", "UNIQUE", "UPDATE", "USING", "VALUES", "WHEN",
        "WHERE",
    }
)  # fmt: skip
_JOIN_WORDS = frozenset({"CROSS", "FULL", "INNER", "LEFT", "NATURAL", "OUTER", "RIGHT"})
_MATCHING = frozenset({"LIKE", "GLOB", "REGEXP", "MATCH"})
# What may stand behind a value or a table without being a name for it.
_NO_ALIAS = _RESERVED | _JOIN_WORDS | _MATCHING | {"WINDOW", "INDEXED"}
_MOMENTS = frozenset({"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"})

_EQUALITY, _COMPARISON, _CONCATENATION, _COLLATION = 4, 5, 9, 10
_AND, _OR, _NOT = 2, 1, 3
_BINDING: dict[str, int] = {
    "<": _COMPARISON, "<=": _COMPARISON, ">": _COMPARISON, ">=": _COMPARISON,
    "=": _EQUALITY, "==": _EQUALITY, "<>": _EQUALITY, "!=": _EQUALITY,
    "&": 6, "|": 6, "<<": 6, ">>": 6,
    "+": 7, "-": 7,
    "*": 8, "/": 8, "%": 8, "//": 8,
    "||": _CONCATENATION, "->": _CONCATENATION, "->>": _CONCATENATION,
}  # fmt: skip
_SAME = {"==": "=", "!=": "<>"}


def parse_statement(sql: str, engine: Engine = Engine.SQLITE) -> Query:
    """Parse one query as SQLite does.

    Args:
        sql: The text of one statement; a final semicolon is allowed.
        engine: The engine that it is for: DuckDB has // besides.

    Returns:
        Its syntax tree.

    Raises:
        UnusableReferenceError: The text is empty, is not SQLite's SQL, holds more than one
            statement, or is no query; the error says where.
    """
    try:
        tokens = tokens_of(sql)
        if engine is Engine.SQLITE:
            for token in tokens:
                if token.text == "//" and token.kind is Kind.SIGN:
                    raise TokenError(token.at)
        return _Parser(sql, tokens).statement()
    except TokenError as error:
        raise _unusable(sql, error.at, "an unfinished quotation or an unknown sign") from error
    except RecursionError as error:
        raise UnusableReferenceError(
            "the statement cannot be parsed: too deep a nesting",
            where=shorten(sql),
            advice="write it with fewer levels",
        ) from error


def place_of(sql: str, at: int) -> str:
    """Return line, column and the text at a position, for a message."""
    line = sql.count("\n", 0, at) + 1
    column = at - (sql.rfind("\n", 0, at) + 1) + 1
    rest = " ".join(sql[at : at + 60].split())
    return f"line {line}, column {column}" + (f", at `{rest}`" if rest else ", at the end")


def _unusable(sql: str, at: int, problem: str) -> UnusableReferenceError:
    return UnusableReferenceError(
        f"the statement cannot be parsed: {problem}",
        where=place_of(sql, at),
        advice="write it as SQLite's SQL",
    )


class _Parser:
    def __init__(self, sql: str, tokens: list[Token]) -> None:
        self._sql = sql
        self._tokens = tokens
        self._position = 0
        self._token = tokens[0]

    # Tokens.

    def _advance(self) -> Token:
        token = self._token
        self._position += 1
        if self._position < len(self._tokens):
            self._token = self._tokens[self._position]
        return token

    def _peek(self, ahead: int = 1) -> Token:
        return self._tokens[min(self._position + ahead, len(self._tokens) - 1)]

    def _is(self, word: str) -> bool:
        token = self._token
        return token.text == word and (token.kind is Kind.WORD or token.kind is Kind.SIGN)

    def _take(self, word: str) -> bool:
        if self._is(word):
            self._advance()
            return True
        return False

    def _require(self, word: str) -> None:
        if not self._take(word):
            raise self._error(f"{word} is missing")

    def _error(self, problem: str) -> UnusableReferenceError:
        return _unusable(self._sql, self._token.at, problem)

    def _name(self) -> str:
        token = self._token
        if token.kind in (Kind.QUOTED, Kind.TEXT):
            self._advance()
            return token.text
        if token.kind is Kind.WORD and token.text not in _RESERVED:
            self._advance()
            return token.written
        raise self._error("a name is missing")

    def _alias(self) -> str | None:
        if self._take("AS"):
            return self._name()
        token = self._token
        if token.kind in (Kind.QUOTED, Kind.TEXT):
            return self._name()
        if token.kind is Kind.WORD and token.text not in _NO_ALIAS:
            return self._name()
        return None

    # Queries.

    def statement(self) -> Query:
        if self._token.kind is Kind.END or (self._is(";") and self._peek().kind is Kind.END):
            raise UnusableReferenceError(
                "there is no statement", where=shorten(self._sql), advice="give a query"
            )
        if not (self._is("SELECT") or self._is("WITH") or self._is("VALUES") or self._is("(")):
            raise UnusableReferenceError(
                f"the statement is no query but begins with {self._token.written}",
                where=shorten(self._sql),
                advice="give a SELECT, a WITH, a set operation or a VALUES list",
            )
        query = self._query()
        while self._take(";"):
            pass
        last = self._token
        if last.kind is not Kind.END:
            raise self._error(f"{last.written} is not expected here")
        return query

    def _query(self) -> Query:
        at = self._token.at
        entries: list[WithEntry] = []
        if self._take("WITH"):
            self._take("RECURSIVE")
            entries.append(self._with_entry())
            while self._take(","):
                entries.append(self._with_entry())
        first = self._core()
        others: list[tuple[str, Core]] = []
        while True:
            if self._take("UNION"):
                operator = "UNION ALL" if self._take("ALL") else "UNION"
            elif self._is("INTERSECT") or self._is("EXCEPT"):
                operator = self._advance().text
            else:
                break
            others.append((operator, self._core()))
        order: tuple[Ordering, ...] = ()
        if self._take("ORDER"):
            self._require("BY")
            order = self._orderings()
        limit = offset = None
        if self._take("LIMIT"):
            limit = self._expression()
            if self._take(","):
                limit, offset = self._expression(), limit
            elif self._take("OFFSET"):
                offset = self._expression()
        return Query(tuple(entries), first, tuple(others), order, limit, offset, at)

    def _with_entry(self) -> WithEntry:
        at = self._token.at
        name = self._name()
        columns: tuple[str, ...] = ()
        if self._is("("):
            columns = self._names()
        self._require("AS")
        # Whether a step is kept in memory changes no result.
        if self._take("NOT"):
            self._require("MATERIALIZED")
        else:
            self._take("MATERIALIZED")
        self._require("(")
        query = self._query()
        self._require(")")
        return WithEntry(name, columns, query, at)

    def _names(self) -> tuple[str, ...]:
        self._require("(")
        names = [self._name()]
        while self._take(","):
            names.append(self._name())
        self._require(")")
        return tuple(names)

    def _core(self) -> Core:
        at = self._token.at
        if self._take("VALUES"):
            rows = [self._row()]
            while self._take(","):
                rows.append(self._row())
            return Values(tuple(rows), at)
        self._require("SELECT")
        distinct = self._take("DISTINCT")
        if not distinct:
            self._take("ALL")
        items = [self._item()]
        while self._take(","):
            items.append(self._item())
        source = self._from() if self._take("FROM") else None
        where = self._expression() if self._take("WHERE") else None
        groups: list[Expression] = []
        if self._take("GROUP"):
            self._require("BY")
            groups.append(self._expression())
            while self._take(","):
                groups.append(self._expression())
        having = self._expression() if self._take("HAVING") else None
        windows: list[tuple[str, Window]] = []
        if self._take("WINDOW"):
            while True:
                name = self._name()
                self._require("AS")
                windows.append((name, self._window()))
                if not self._take(","):
                    break
        return Select(
            distinct, tuple(items), source, where, tuple(groups), having, tuple(windows), at
        )

    def _row(self) -> tuple[Expression, ...]:
        self._require("(")
        items = self._expressions()
        self._require(")")
        return items

    def _item(self) -> Item | Star:
        token = self._token
        if self._take("*"):
            return Star("", token.at)
        if (
            token.kind in (Kind.WORD, Kind.QUOTED)
            and self._peek().text == "."
            and self._peek(2).kind is Kind.SIGN
            and self._peek(2).text == "*"
        ):
            table = self._name()
            self._advance()
            self._advance()
            return Star(table, token.at)
        value = self._expression()
        return Item(value, self._alias())

    def _from(self) -> From:
        first = self._from_item()
        joins: list[Join] = []
        while True:
            at = self._token.at
            if self._take(","):
                kind, natural = "CROSS", False
            else:
                found = self._join_words()
                if found is None:
                    break
                kind, natural = found
            item = self._from_item()
            on = self._expression() if self._take("ON") else None
            using = self._names() if on is None and self._take("USING") else ()
            if kind in ("CROSS", "INNER"):
                kind = "INNER" if on is not None or using or natural else "CROSS"
            joins.append(Join(kind, natural, item, on, using, at))
        return From(first, tuple(joins))

    def _join_words(self) -> tuple[str, bool] | None:
        ahead = 0
        while self._peek(ahead).kind is Kind.WORD and self._peek(ahead).text in _JOIN_WORDS:
            ahead += 1
        if self._peek(ahead).kind is not Kind.WORD or self._peek(ahead).text != "JOIN":
            return None
        words = [self._advance().text for _ in range(ahead)]
        self._advance()
        natural = "NATURAL" in words
        kinds = [word for word in words if word not in ("NATURAL", "OUTER")]
        if len(kinds) > 1 or len(set(words)) < len(words):
            raise self._error(f"a join cannot be {' '.join(words)}")
        if not kinds and "OUTER" in words:
            raise self._error("an OUTER JOIN is LEFT, RIGHT or FULL")
        return (kinds[0] if kinds else "INNER"), natural

    def _from_item(self) -> FromItem:
        at = self._token.at
        if self._take("("):
            if self._is("SELECT") or self._is("WITH") or self._is("VALUES"):
                query = self._query()
                self._require(")")
                alias = self._alias() or ""
                columns = self._names() if alias and self._is("(") else ()
                return QueryItem(query, alias, columns, at)
            joined = self._from()
            self._require(")")
            return JoinedItem(joined, self._alias() or "", at)
        name = self._name()
        if self._take("."):
            if name.lower() not in ("main", "temp"):
                raise self._error(f"the database {name} is not known")
            name = self._name()
        if self._is("("):
            self._advance()
            arguments = () if self._is(")") else self._expressions()
            self._require(")")
            return FunctionItem(name.lower(), arguments, self._alias() or "", at)
        alias = self._alias() or ""
        # Which index is used changes no result.
        if self._take("INDEXED"):
            self._require("BY")
            self._name()
        elif self._is("NOT") and self._peek().text == "INDEXED":
            self._advance()
            self._advance()
        return TableItem(name, alias, at)

    def _orderings(self) -> tuple[Ordering, ...]:
        terms = [self._ordering()]
        while self._take(","):
            terms.append(self._ordering())
        return tuple(terms)

    def _ordering(self) -> Ordering:
        at = self._token.at
        value = self._expression()
        descending = self._take("DESC")
        if not descending:
            self._take("ASC")
        nulls = ""
        if self._take("NULLS"):
            if not (self._is("FIRST") or self._is("LAST")):
                raise self._error("NULLS is followed by FIRST or LAST")
            nulls = self._advance().text
        return Ordering(value, descending, nulls, at)

    # Values.

    def _expressions(self) -> tuple[Expression, ...]:
        items = [self._expression()]
        while self._take(","):
            items.append(self._expression())
        return tuple(items)

    def _expression(self, lowest: int = 0) -> Expression:
        """Parse an expression whose operators bind tighter than a level."""
        left = self._prefix()
        while True:
            token = self._token
            if token.kind is Kind.SIGN:
                level = _BINDING.get(token.text, 0)
                if level <= lowest:
                    return left
                self._advance()
                right = self._expression(level)
                left = Binary(_SAME.get(token.text, token.text), left, right, token.at)
                continue
            if token.kind is not Kind.WORD:
                return left
            found = self._word_operator(left, token, lowest)
            if found is None:
                return left
            left = found

    def _word_operator(self, left: Expression, token: Token, lowest: int) -> Expression | None:
        word = token.text
        if word in ("AND", "OR"):
            level = _AND if word == "AND" else _OR
            if level <= lowest:
                return None
            self._advance()
            return Binary(word, left, self._expression(level), token.at)
        if word == "COLLATE":
            if lowest >= _COLLATION:
                return None
            self._advance()
            return Collate(left, self._name().upper(), token.at)
        if lowest >= _EQUALITY:
            return None
        if word == "IS":
            self._advance()
            negated = self._take("NOT")
            if self._take("DISTINCT"):
                self._require("FROM")
                negated = not negated
            operator = "IS NOT" if negated else "IS"
            return Binary(operator, left, self._expression(_EQUALITY), token.at)
        if word in ("ISNULL", "NOTNULL"):
            self._advance()
            return IsNull(left, word == "NOTNULL", token.at)
        negated = word == "NOT"
        word = self._peek().text if negated else word
        if negated and word == "NULL":
            self._advance()
            self._advance()
            return IsNull(left, True, token.at)
        if word not in _MATCHING and word not in ("BETWEEN", "IN"):
            return None
        if negated:
            self._advance()
        self._advance()
        if word == "BETWEEN":
            low = self._expression(_NOT)
            self._require("AND")
            return Between(left, low, self._expression(_EQUALITY), negated, token.at)
        if word == "IN":
            return self._in(left, negated, token.at)
        pattern = self._expression(_EQUALITY)
        escape = self._expression(_EQUALITY) if self._take("ESCAPE") else None
        return Matched(word, left, pattern, escape, negated, token.at)

    def _in(self, left: Expression, negated: bool, at: int) -> Expression:
        if not self._is("("):
            name = self._name()
            source = From(TableItem(name, "", at), ())
            whole = Select(False, (Star("", at),), source, None, (), None, (), at)
            query = Query((), whole, (), (), None, None, at)
            return InQuery(left, query, negated, at)
        self._advance()
        if self._is("SELECT") or self._is("WITH") or self._is("VALUES"):
            query = self._query()
            self._require(")")
            return InQuery(left, query, negated, at)
        items = () if self._is(")") else self._expressions()
        self._require(")")
        return InList(left, items, negated, at)

    def _prefix(self) -> Expression:
        token = self._token
        if token.kind is Kind.SIGN:
            if token.text in ("-", "+", "~"):
                self._advance()
                return Unary(token.text, self._expression(_COLLATION), token.at)
            if token.text == "(":
                return self._parenthesis()
            raise self._error(f"{token.written} is not expected here")
        if token.kind is Kind.NUMBER:
            self._advance()
            return Number(token.text, token.at)
        if token.kind is Kind.TEXT:
            self._advance()
            return Text(token.text, token.at)
        if token.kind is Kind.BLOB:
            self._advance()
            return Blob(token.text, token.at)
        if token.kind is Kind.END:
            raise self._error("the statement ends too early")
        if token.kind is Kind.WORD:
            special = self._special(token)
            if special is not None:
                return special
        return self._named()

    def _special(self, token: Token) -> Expression | None:
        word, follower = token.text, self._peek()
        if word == "NOT":
            self._advance()
            return Unary("NOT", self._expression(_NOT), token.at)
        if word == "NULL" or (word in _MOMENTS and follower.text != "("):
            self._advance()
            return Constant(word, token.at)
        if word == "CASE":
            return self._case()
        if word == "CAST" and follower.text == "(":
            return self._cast()
        if word == "EXISTS":
            self._advance()
            self._require("(")
            query = self._query()
            self._require(")")
            return Exists(query, token.at)
        if word in ("DATE", "TIMESTAMP") and follower.kind is Kind.TEXT:
            self._advance()
            return Moment(word, self._advance().text, token.at)
        return None

    def _parenthesis(self) -> Expression:
        at = self._advance().at
        if self._is("SELECT") or self._is("WITH") or self._is("VALUES"):
            query = self._query()
            self._require(")")
            return Scalar(query, at)
        items = self._expressions()
        self._require(")")
        return items[0] if len(items) == 1 else Row(items, at)

    def _case(self) -> Expression:
        at = self._advance().at
        operand = None if self._is("WHEN") else self._expression()
        branches: list[tuple[Expression, Expression]] = []
        while self._take("WHEN"):
            condition = self._expression()
            self._require("THEN")
            branches.append((condition, self._expression()))
        if not branches:
            raise self._error("WHEN is missing")
        default = self._expression() if self._take("ELSE") else None
        self._require("END")
        return Case(operand, tuple(branches), default, at)

    def _cast(self) -> Expression:
        at = self._advance().at
        self._require("(")
        operand = self._expression()
        self._require("AS")
        words: list[str] = []
        while self._token.kind in (Kind.WORD, Kind.QUOTED):
            words.append(self._advance().text)
        if self._take("("):
            while not self._take(")"):
                if self._token.kind is Kind.END:
                    raise self._error(") is missing")
                self._advance()
        self._require(")")
        return Cast(operand, " ".join(words).upper(), at)

    def _named(self) -> Expression:
        token = self._token
        if token.kind is Kind.WORD and self._peek().text == "(" and self._peek().kind is Kind.SIGN:
            if token.text in _RESERVED:
                raise self._error(f"{token.written} is not expected here")
            return self._call()
        names = [self._name()]
        last = token
        while self._is("."):
            self._advance()
            last = self._token
            names.append(self._name())
        if len(names) > 3 or (len(names) == 3 and names[0].lower() != "main"):
            raise self._error("a column has one table before it")
        quote = last.written[0] if last.kind is not Kind.WORD else ""
        return Name(names[-2] if len(names) > 1 else "", names[-1], quote, token.at)

    def _call(self) -> Expression:
        token = self._advance()
        self._require("(")
        arguments: tuple[Expression, ...] = ()
        order: tuple[Ordering, ...] = ()
        star = distinct = False
        if self._take("*"):
            star = True
        elif not self._is(")"):
            distinct = self._take("DISTINCT")
            if not distinct:
                self._take("ALL")
            arguments = self._expressions()
            if self._take("ORDER"):
                self._require("BY")
                order = self._orderings()
        self._require(")")
        condition = None
        if self._is("FILTER") and self._peek().text == "(":
            self._advance()
            self._require("(")
            self._require("WHERE")
            condition = self._expression()
            self._require(")")
        window = None
        if self._is("OVER") and (self._peek().text == "(" or self._peek().kind is not Kind.SIGN):
            at = self._advance().at
            named = not self._is("(")
            window = Window(self._name(), (), (), None, at) if named else self._window()
        return Call(
            token.written.lower(), arguments, star, distinct, order, condition, window, token.at
        )

    def _window(self) -> Window:
        at = self._token.at
        self._require("(")
        base = ""
        words = ("PARTITION", "ORDER", "ROWS", "RANGE", "GROUPS")
        if not self._is(")") and self._token.text not in words:
            base = self._name()
        partition: tuple[Expression, ...] = ()
        order: tuple[Ordering, ...] = ()
        if self._take("PARTITION"):
            self._require("BY")
            partition = self._expressions()
        if self._take("ORDER"):
            self._require("BY")
            order = self._orderings()
        frame = None
        if self._is("ROWS") or self._is("RANGE") or self._is("GROUPS"):
            frame = self._frame()
        self._require(")")
        return Window(base, partition, order, frame, at)

    def _frame(self) -> Frame:
        unit = self._advance().text
        if self._take("BETWEEN"):
            start = self._bound()
            self._require("AND")
            end = self._bound()
        else:
            start, end = self._bound(), Bound("CURRENT ROW", None)
        exclude = ""
        if self._take("EXCLUDE"):
            exclude = self._advance().text
            if exclude in ("NO", "CURRENT"):
                exclude += f" {self._advance().text}"
            if exclude not in ("NO OTHERS", "CURRENT ROW", "GROUP", "TIES"):
                raise self._error(f"a frame cannot exclude {exclude}")
        return Frame(unit, start, end, "" if exclude == "NO OTHERS" else exclude)

    def _bound(self) -> Bound:
        if self._take("CURRENT"):
            self._require("ROW")
            return Bound("CURRENT ROW", None)
        if self._take("UNBOUNDED"):
            return Bound(f"UNBOUNDED {self._direction()}", None)
        # AND ends the bound, so the offset binds tighter.
        offset = self._expression(_AND)
        return Bound(self._direction(), offset)

    def _direction(self) -> str:
        if self._is("PRECEDING") or self._is("FOLLOWING"):
            return self._advance().text
        raise self._error("PRECEDING or FOLLOWING is missing")
