"""Which table's column each name of a query stands for, as SQLite resolves names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.schema import Column, Schema, Table
from specbridge_pipeline.sql.places import first_member, is_star, own_nodes


@dataclass(frozen=True, slots=True)
class Source:
    """What a SELECT reads in one place of its FROM.

    Attributes:
        position: Its place in the FROM, from 0.
        name: The name that it goes by there, in lower case.
        table: The table; None for a nested query or an entry of WITH.
        query: The query whose rows it gives; None for a table.
        columns: Names of its columns in lower case.
    """

    position: int
    name: str
    table: Table | None
    query: exp.Query | None = field(compare=False)
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column of a source of a SELECT.

    Attributes:
        source: The source.
        name: Its name in lower case.
        column: What its table declares; None where the source is no table.
    """

    source: Source
    name: str
    column: Column | None


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """What the names of one SELECT can stand for.

    Attributes:
        select: The SELECT.
        sources: What it reads, in the order of its FROM.
        outer: The scope of the SELECT around it whose columns it can name; None for none.
    """

    select: exp.Select
    sources: tuple[Source, ...]
    outer: Scope | None

    def own_column(self, node: exp.Expr) -> SourceColumn | None:
        """Return the column of an own source that a name stands for; None if it is none."""
        if not isinstance(node, exp.Column) or is_star(node):
            return None
        wanted, qualifier = node.name.lower(), node.table.lower()
        for source in self.sources:
            if qualifier and source.name != qualifier:
                continue
            if wanted in source.columns:
                return SourceColumn(source, wanted, _declared(source.table, wanted))
        return None

    def output(self, node: exp.Expr) -> exp.Expr | None:
        """Return the output of the SELECT that a bare name or a number stands for in ORDER BY."""
        if isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal():
            at = int(node.name) - 1
            items = self.select.expressions
            return items[at].unalias() if 0 <= at < len(items) else None
        if isinstance(node, exp.Column) and not node.table:
            for item in self.select.expressions:
                if isinstance(item, exp.Alias) and item.alias.lower() == node.name.lower():
                    found: exp.Expr = item.this
                    return found
        return None


@dataclass(frozen=True, slots=True, eq=False)
class ResolvedQuery:
    """A query with its names resolved.

    Attributes:
        tree: Its tree; quoted names that stand for no column have become strings.
        scopes: Those of its SELECTs, the outer ones first.
        schema: The database's schema.
    """

    tree: exp.Query
    scopes: tuple[Scope, ...]
    schema: Schema

    def scope_of(self, select: exp.Expr | None) -> Scope | None:
        """Return the scope of a SELECT of the query."""
        return next((scope for scope in self.scopes if scope.select is select), None)

    def origin(self, scope: Scope, node: exp.Expr) -> tuple[Table, Column] | None:
        """Return the table and column whose values a name gives, through nested queries.

        Args:
            scope: The scope of the SELECT in which the name stands.
            node: The name.

        Returns:
            The table and the column; None where the value is computed or the name stands for none.
        """
        found: SourceColumn | None = None
        around: Scope | None = scope
        while around is not None and found is None:
            found = around.own_column(node)
            around = around.outer
        for _ in range(_DEEPEST):
            if found is None:
                return None
            if found.source.table is not None:
                return None if found.column is None else (found.source.table, found.column)
            inner = first_member(found.source.query) if found.source.query is not None else None
            inner_scope = self.scope_of(inner)
            if inner is None or inner_scope is None:
                return None
            found = _column_behind(inner_scope, found)
        return None


_DEEPEST = 20


def _column_behind(scope: Scope, outer: SourceColumn) -> SourceColumn | None:
    """Return the column of a nested query's own source that its output column repeats."""
    at = outer.source.columns.index(outer.name)
    items = scope.select.expressions
    if any(is_star(item) for item in items):
        if len(items) > 1:
            return None
        pairs = [(source, name) for source in scope.sources for name in source.columns]
        if at >= len(pairs):
            return None
        source, name = pairs[at]
        return SourceColumn(source, name, _declared(source.table, name))
    return scope.own_column(items[at].unalias()) if at < len(items) else None


def resolve_names(query: exp.Query, schema: Schema) -> ResolvedQuery:
    """Resolve the names of a query.

    A name in quotation marks that stands for no column is a string, as in SQLite; it is one in the
    tree that is returned.

    Args:
        query: The query; it is not changed.
        schema: The tables that it can read.

    Returns:
        The query with the scopes of its SELECTs. A name that stands for nothing stays as it is.
    """
    tree = query.copy()
    reading = _Reading(schema)
    reading.visit(tree, {}, None)
    for scope in reading.scopes if schema.engine is Engine.SQLITE else ():
        for node in list(own_nodes(scope.select)):
            if (
                isinstance(node, exp.Column)
                and _is_quoted(node)
                and _stands_for_nothing(scope, node)
            ):
                node.replace(exp.Literal.string(node.name))
    return ResolvedQuery(tree, tuple(reading.scopes), schema)


def _is_quoted(node: exp.Column) -> bool:
    return (
        not node.table
        and isinstance(node.this, exp.Identifier)
        and bool(node.this.args.get("quoted"))
    )


def _stands_for_nothing(scope: Scope, node: exp.Column) -> bool:
    if scope.output(node) is not None:
        return False
    around: Scope | None = scope
    while around is not None:
        if around.own_column(node) is not None:
            return False
        around = around.outer
    return True


@dataclass(slots=True)
class _Reading:
    schema: Schema
    scopes: list[Scope] = field(default_factory=list)

    def visit(
        self, query: exp.Expr, visible: dict[str, exp.Expr], outer: Scope | None
    ) -> tuple[str, ...]:
        """Read a query and those inside it; return the names of its outputs."""
        entries = dict(visible)
        common = query.args.get("with_")
        if isinstance(common, exp.With):
            for entry in common.expressions:
                self.visit(entry.this, entries, outer)
                entries[entry.alias.lower()] = entry
        if isinstance(query, exp.Subquery | exp.Paren):
            return self.visit(query.this, entries, outer)
        if isinstance(query, exp.SetOperation):
            names = self.visit(query.this, entries, outer)
            self.visit(query.expression, entries, outer)
            return names
        if not isinstance(query, exp.Select):
            return ()
        sources: list[Source] = []
        for node in _sources_of(query):
            sources.append(self._source(node, len(sources), entries, outer))
        scope = Scope(query, tuple(sources), outer)
        self.scopes.append(scope)
        for nested in _nested_queries(query):
            self.visit(nested, entries, scope)
        return _output_names(scope)

    def _source(
        self, node: exp.Expr, position: int, entries: dict[str, exp.Expr], outer: Scope | None
    ) -> Source:
        name = node.alias_or_name.lower()
        if isinstance(node, exp.Table):
            entry = entries.get(node.name.lower())
            if entry is None:
                table = _table(self.schema, node.name)
                columns = () if table is None else tuple(c.name.lower() for c in table.columns)
                return Source(position, name, table, None, columns)
            inner: exp.Expr = entry.this
            renamed = entry.args["alias"].args.get("columns") or ()
            written = tuple(column.name.lower() for column in renamed)
            member = first_member(inner)
            scope = next((each for each in self.scopes if each.select is member), None)
            columns = written or (_output_names(scope) if scope is not None else ())
            query = inner if isinstance(inner, exp.Query) else None
            return Source(position, name, None, query, columns)
        inner = node
        while isinstance(inner, exp.Subquery | exp.Paren):
            inner = inner.this
        columns = self.visit(inner, entries, outer)
        query = inner if isinstance(inner, exp.Query) else None
        return Source(position, name, None, query, columns)


def _sources_of(select: exp.Select) -> Iterator[exp.Expr]:
    start = select.args.get("from_")
    if start is None:
        return
    yield start.this
    # A join can hang on the table before it where it is written in parentheses.
    yield from (join.this for join in start.this.args.get("joins") or ())
    for join in select.args.get("joins") or ():
        yield join.this
        yield from (inner.this for inner in join.this.args.get("joins") or ())


def _nested_queries(select: exp.Select) -> list[exp.Expr]:
    """Return the queries in the expressions of a SELECT, not those in its FROM and WITH."""
    read = {id(node) for node in _sources_of(select)}
    return [
        node
        for name, part in select.args.items()
        if name != "with_"
        for each in (part if isinstance(part, list) else [part])
        if isinstance(each, exp.Expr)
        for node in own_nodes(select, each)
        if isinstance(node, exp.Query) and id(node) not in read
    ]


def _output_names(scope: Scope) -> tuple[str, ...]:
    names: list[str] = []
    for item in scope.select.expressions:
        if not is_star(item):
            names.append(item.alias_or_name.lower())
            continue
        qualifier = item.table.lower() if isinstance(item, exp.Column) else ""
        for source in scope.sources:
            if not qualifier or source.name == qualifier:
                names += source.columns
    return tuple(names)


def _table(schema: Schema, name: str) -> Table | None:
    return next((each for each in schema.tables if each.name.lower() == name.lower()), None)


def _declared(table: Table | None, name: str) -> Column | None:
    if table is None:
        return None
    return next((each for each in table.columns if each.name.lower() == name), None)
