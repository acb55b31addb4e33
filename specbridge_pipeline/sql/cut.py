"""Statements that show what a query's LIMIT cuts through: the rows up to and around the cut.

A LIMIT picks some of the rows that are tied at the cut, and which ones is the engine's business.
To know all rows that could have been picked, the query is run without its cut, with its ORDER BY
keys as hidden columns and the rank of each row, and only as far as the ties at the cut reach.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import EngineRules
from specbridge_pipeline.sql.order_keys import OrderKey, visible_name

MARGIN_ROWS = 1_000
"""How many rows after the cut are fetched to find keys that differ from the cut's by noise only."""


@dataclass(frozen=True, slots=True)
class TopLevel:
    """A query taken apart at its top level.

    Attributes:
        body: The query without ORDER BY, LIMIT and OFFSET, its WITH included.
        order: The terms of the ORDER BY, none without one.
        limit: The LIMIT's expression, None without one.
        offset: The OFFSET's expression, None without one.
        engine: The engine that the query is for.
    """

    body: exp.Query
    order: tuple[exp.Ordered, ...]
    limit: exp.Expr | None
    offset: exp.Expr | None
    engine: Engine = Engine.SQLITE

    @property
    def rules(self) -> EngineRules:
        """What holds for its engine's SQL."""
        return rules_of(self.engine)

    @property
    def body_sql(self) -> str:
        """The body as SQL."""
        return self.body.sql(self.rules.dialect)


@dataclass(frozen=True, slots=True)
class ExtensionStatement:
    """A statement that returns rows with keys and ranks.

    Each row holds the visible cells, then the keys, then for each key the rank of the row by the
    keys up to and including that one: two rows with the same such rank are tied in these keys.
    Hidden columns that were asked for besides come last.

    Attributes:
        sql: The statement.
        visible: How many visible columns it has.
        keys: How many keys.
        fetched: How many rows in key order it asks for at the least; None for all rows.
    """

    sql: str
    visible: int
    keys: int
    fetched: int | None


def split_top_level(query: exp.Query, engine: Engine = Engine.SQLITE) -> TopLevel:
    """Take a query's own ORDER BY, LIMIT and OFFSET off.

    Args:
        query: The query; it is not changed.
        engine: The engine that it is for.

    Returns:
        Its parts.
    """
    body = query.copy()
    order = body.args.get("order")
    limit = body.args.get("limit")
    offset = body.args.get("offset")
    for name in ("order", "limit", "offset"):
        body.set(name, None)
    return TopLevel(
        body=body,
        order=tuple(order.expressions) if order is not None else (),
        limit=limit.expression if limit is not None else None,
        offset=offset.expression if offset is not None else None,
        engine=engine,
    )


def literal_count(expression: exp.Expr) -> int | None:
    """Return the number that a LIMIT or OFFSET writes out.

    Args:
        expression: The LIMIT's or OFFSET's expression.

    Returns:
        The integer, or None where the expression is anything but an integer literal.
    """
    negative = isinstance(expression, exp.Neg)
    literal = expression.this if negative else expression
    if not isinstance(literal, exp.Literal) or literal.is_string or not literal.name.isdecimal():
        return None
    return -int(literal.name) if negative else int(literal.name)


def count_statement(top: TopLevel, expression: exp.Expr) -> str:
    """Return the statement that evaluates a LIMIT's or OFFSET's expression.

    Args:
        top: The query, for the common table expressions that the expression may use.
        expression: The expression.

    Returns:
        A query of one row and one column.
    """
    inner = expression.unnest() if isinstance(expression, exp.Subquery) else expression
    probe = exp.select(exp.Paren(this=inner.copy()))
    common = top.body.args.get("with_")
    if common is not None:
        probe.set("with_", common.copy())
    return probe.sql(top.rules.dialect)


def extension_statement(
    top: TopLevel,
    keys: tuple[OrderKey, ...],
    width: int,
    end: int | None,
    besides: tuple[str, ...] = (),
) -> ExtensionStatement:
    """Return the statement for the rows up to, tied with, and shortly after a cut.

    Args:
        top: The query.
        keys: Its bound ORDER BY keys, at least one.
        width: How many columns the query gives.
        end: The place, counted from 1, of the last row before the cut; None for no cut.
        besides: Expressions over the query's sources to return with each row; none for a set
            operation.

    Returns:
        The statement, whose rows come in key order.
    """
    body = top.body.copy()
    dialect = top.rules.dialect
    columns = [visible_name(index) for index in range(width)]
    hidden = {index: f"key_{index + 1}" for index, key in enumerate(keys) if key.hidden is not None}
    if isinstance(body, exp.Select):
        hidden_keys = [key.hidden for key in keys if key.hidden is not None]
        text = with_hidden_columns(body, [*hidden_keys, *besides], dialect)
    else:
        text = body.sql(dialect)
    values = [_value(key, hidden.get(index)) for index, key in enumerate(keys)]
    directions = [f"order_{index + 1} {key.direction}" for index, key in enumerate(keys)]
    by_all = ", ".join(directions)
    carried = [f"order_{index + 1}" for index in range(len(keys))]
    further = [f"besides_{index + 1}" for index in range(len(besides))]
    prefix_ranks = [
        f"DENSE_RANK() OVER (ORDER BY {', '.join(directions[: count + 1])})"
        for count in range(len(keys) - 1)
    ]
    named = ", ".join(columns)
    head = f"specbridge_body({', '.join([*columns, *hidden.values(), *further])})"
    after = "".join(f", {name}" for name in further)
    keyed = ", ".join(f"{value} AS order_{index + 1}" for index, value in enumerate(values))
    fetched = None if end is None else end + MARGIN_ROWS + 1
    kept = "" if end is None else f" WHERE tie_rank <= {end} OR place <= {fetched}"
    sql = (
        f"WITH {head} AS ({text}), "
        f"specbridge_keyed AS (SELECT {named}, {keyed}{after} FROM specbridge_body), "
        f"specbridge_ranked AS (SELECT {named}, {', '.join(carried)}{after}, "
        f"RANK() OVER (ORDER BY {by_all}) AS tie_rank, "
        f"ROW_NUMBER() OVER (ORDER BY {by_all}) AS place FROM specbridge_keyed) "
        f"SELECT {', '.join([*columns, *carried, *prefix_ranks, 'tie_rank', *further])} "
        f"FROM specbridge_ranked{kept} ORDER BY place"
    )
    return ExtensionStatement(sql, width, len(keys), fetched)


def _value(key: OrderKey, hidden: str | None) -> str:
    if key.position is not None:
        return visible_name(key.position)
    return hidden or key.derived or ""


def with_hidden_columns(body: exp.Select, hidden: list[str], dialect: str) -> str:
    """Write a SELECT with more columns at the end of its select list.

    Args:
        body: The SELECT; it is changed.
        hidden: The columns' expressions, as text, since quoting in backticks does not survive the
            parser.
        dialect: The dialect to write.

    Returns:
        The statement.
    """
    markers = [f"specbridge_hidden_{index}_" for index in range(len(hidden))]
    for marker in markers:
        body.append("expressions", exp.column(marker))
    text = body.sql(dialect)
    for marker, expression in zip(markers, hidden, strict=True):
        text = text.replace(marker, f"({expression})", 1)
    return text
