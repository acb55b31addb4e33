"""A query that is looked at for suspicions: its names, copies to edit, and what the data say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import conjunction, named
from specbridge_pipeline.databases.results import Outcome, QueryFailure, Row
from specbridge_pipeline.databases.schema import Column, Table
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope, Source, SourceColumn
from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.join_repeats import conjuncts
from specbridge_pipeline.sql.places import is_inside, is_star, own_nodes

MARK = "specbridge_mark"
"""The name of the column by which a derived statement marks rows."""


class Look:
    """A query with its database, each question of which is asked once.

    Args:
        query: The query with its names resolved.
        run: Runs a query on the database; None where it is not at hand.
    """

    def __init__(self, query: ResolvedQuery, run: Callable[[str], Outcome] | None) -> None:
        self.query = query
        self.engine = query.schema.engine
        self._run = run
        self._known: dict[str, tuple[Row, ...] | None] = {}
        self._standing = {
            id(node): scope for scope in query.scopes for node in own_nodes(scope.select)
        }

    @property
    def has_data(self) -> bool:
        """Whether there is a database to ask."""
        return self._run is not None

    def rows(self, sql: str) -> tuple[Row, ...] | None:
        """Run a statement; None where it gives no result or there is no database."""
        if self._run is None:
            return None
        if sql not in self._known:
            outcome = self._run(sql)
            self._known[sql] = None if isinstance(outcome, QueryFailure) else outcome.rows
        return self._known[sql]

    def numbers(self, sql: str) -> tuple[Any, ...] | None:
        """Run a statement that gives one row; missing numbers are zero."""
        rows = self.rows(sql)
        return tuple(value or 0 for value in rows[0]) if rows else None

    def count(self, query: exp.Query | str) -> int | None:
        """Count the rows of a query; None where that cannot be found out."""
        text = query if isinstance(query, str) else self.text(query)
        found = self.numbers(f"SELECT COUNT(*) FROM ({text}) AS specbridge_rows")
        return None if found is None else int(found[0])

    def text(self, node: exp.Expr) -> str:
        """Write a part of a query for its engine."""
        return emit(node, self.engine)

    def name(self, scope: Scope, node: exp.Expr) -> str:
        """Name a value for a sentence: the table and column, or the SQL itself."""
        found = named(self.query, scope, node)
        return found if self.query.origin(scope, node) is not None else self.text(node)

    def origin(self, scope: Scope, node: exp.Expr) -> tuple[Table, Column] | None:
        """Return the table and column whose values a name gives; see `ResolvedQuery.origin`."""
        return self.query.origin(scope, node)

    def column(self, node: exp.Expr) -> tuple[Scope, SourceColumn] | None:
        """Return the SELECT whose own column a name stands for, with that column."""
        scope = self._standing.get(id(node))
        while scope is not None:
            found = scope.own_column(node)
            if found is not None:
                return scope, found
            scope = scope.outer
        return None

    def positions(self, scope: Scope, parts: Iterable[exp.Expr | None]) -> set[int]:
        """Return the positions of the sources of a SELECT that some of its parts name."""
        found: set[int] = set()
        for part in parts:
            if part is None:
                continue
            for node in part.find_all(exp.Column, exp.Star):
                if is_star(node):
                    found |= _stars(scope, node)
                    continue
                column = self.column(node)
                if column is not None and column[0] is scope:
                    found.add(column[1].source.position)
        return found

    def copied(self, *nodes: exp.Expr) -> tuple[exp.Query, list[exp.Expr]]:
        """Copy the query; return the copy with what stands in it for some nodes of the query."""
        tree = self.query.tree.copy()
        wanted = {id(node) for node in nodes}
        pairs = zip(self.query.tree.walk(), tree.walk(), strict=True)
        found = {id(each): other for each, other in pairs if id(each) in wanted}
        return tree, [found[id(node)] for node in nodes]

    def standalone(self, scope: Scope) -> exp.Select | None:
        """Copy a SELECT so that it runs by itself; None where it uses a row around it."""
        copy = self.standalone_set(scope.select)
        assert copy is None or isinstance(copy, exp.Select)
        return copy

    def standalone_set(self, query: exp.Query) -> exp.Query | None:
        """Copy a SELECT or set operation in the same way."""
        for node in query.find_all(exp.Column):
            owner = self.column(node)
            if owner is not None and not is_inside(owner[0].select, query):
                return None
        copy = query.copy()
        entries: list[exp.Expr] = []
        around: exp.Expr | None = query
        while around is not None:
            common = around.args.get("with_")
            if isinstance(common, exp.With):
                if common.args.get("recursive"):
                    return None
                entries = [*common.expressions, *entries]
            around = around.parent
        names = [entry.alias.lower() for entry in entries]
        if len(set(names)) < len(names):
            return None
        if entries:
            copy.set("with_", exp.With(expressions=[entry.copy() for entry in entries]))
        return copy

    def some_rows(self, scope: Scope, items: list[exp.Expr]) -> exp.Select | None:
        """Return a query for values of the rows that a SELECT reads, before groups and cuts."""
        body = self.standalone(scope)
        if body is None:
            return None
        reduce_to_rows(body, items)
        return body


def _stars(scope: Scope, node: exp.Expr) -> set[int]:
    if isinstance(node, exp.Column):
        return {each.position for each in scope.sources if each.name == node.table.lower()}
    # The star of COUNT(*) names no table.
    if isinstance(node.parent, exp.Select):
        return {each.position for each in scope.sources}
    return set()


_AFTER_ROWS = (
    "group",
    "having",
    "order",
    "limit",
    "offset",
    "distinct",
    "qualify",
    "windows",
)


def reduce_to_rows(select: exp.Select, items: list[exp.Expr]) -> None:
    """Make a SELECT give values of the rows that it reads, before groups and cuts."""
    for name in _AFTER_ROWS:
        select.set(name, None)
    select.set("expressions", [item.copy() for item in items])


def joins_of(scope: Scope) -> list[tuple[exp.Expr, Source]] | None:
    """Return the joins of a SELECT with what each reads; None where they are written nested."""
    joins = list(scope.select.args.get("joins") or ())
    if len(joins) + 1 != len(scope.sources):
        return None
    return list(zip(joins, scope.sources[1:], strict=True))


def drop_condition(select: exp.Select, condition: exp.Expr) -> None:
    """Take one of the conditions that AND connects out of a SELECT's WHERE."""
    where = select.args.get("where")
    if where is None:
        return
    kept = [each for each in conjuncts(where.this) if each is not condition]
    rest = conjunction(kept)
    select.set("where", None if rest is None else exp.Where(this=rest))


def add_condition(select: exp.Select, condition: exp.Expr) -> None:
    """Add a condition to a SELECT's WHERE."""
    where = select.args.get("where")
    parts = [*(conjuncts(where.this) if where is not None else ()), condition]
    select.set("where", exp.Where(this=conjunction(parts)))


def source_name(source: Source) -> str:
    """Name a source for a sentence."""
    return source.table.name if source.table is not None else source.name


def conditions_of(scope: Scope) -> Iterator[exp.Expr]:
    """Yield the conditions of WHERE that AND connects."""
    where = scope.select.args.get("where")
    if where is not None:
        yield from conjuncts(where.this)


def listed(names: Iterable[str]) -> str:
    """Join names for a sentence."""
    found = list(dict.fromkeys(names))
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"


def counted(number: int, one: str, several: str | None = None) -> str:
    """Write a number with its noun."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"
