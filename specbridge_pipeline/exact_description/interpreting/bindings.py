"""What a name in a query stands for, by SQLite's rules: sources, columns, aliases and entries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.schema import Table
from specbridge_pipeline.errors import UndescribableQueryError
from specbridge_pipeline.exact_description.interpreting.affinity import (
    Affinity,
    Nature,
    Typed,
    affinity_of,
    nature_of,
)
from specbridge_pipeline.exact_description.queries.model import (
    Aggregate,
    ColumnOf,
    Expression,
    Literal,
    OutputOf,
    RowNumberOf,
    Source,
    StepRows,
    TableRows,
    Window,
    nodes_in,
)
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import ColumnKind
from specbridge_pipeline.sql.syntax import nodes
from specbridge_pipeline.sql.syntax.parser import place_of

_ROW_NUMBERS = frozenset({"rowid", "oid", "_rowid_"})
_ADVICE = "write it with constructs that docs/description_grammar.md lists"


@dataclass(frozen=True, slots=True)
class Refusals:
    """Makes the errors of one statement, each with its place in the text."""

    sql: str

    def error(self, problem: str, at: int, advice: str = _ADVICE) -> UndescribableQueryError:
        """Return the error for a construct.

        Args:
            problem: What is wrong, as a sentence without its full stop.
            at: Where the construct begins.
            advice: What to do about it.
        """
        return UndescribableQueryError(problem, where=place_of(self.sql, at), advice=advice)


@dataclass(frozen=True, slots=True)
class BoundColumn:
    """A column of a source: the name before the point, its own name, and its value."""

    qualifier: str
    name: str
    typed: Typed


@dataclass(frozen=True, slots=True)
class BoundSource:
    """A source of a SELECT; `table` is its table, None for a step."""

    source: Source
    columns: tuple[BoundColumn, ...]
    qualifier: str
    table: Table | None


@dataclass(slots=True)
class Entry:
    """A WITH entry.

    Attributes:
        node: Its syntax.
        visible: The entries that it can name.
        step: Its step, once it is read.
        columns: Names and types of its columns, once they are known.
        open: Whether it is being read.
        repeats: How often it was named by itself since the last look.
    """

    node: nodes.WithEntry
    visible: Entries
    depth: int
    outer: Scope | None
    step: int | None = None
    columns: tuple[tuple[str, Typed], ...] | None = None
    open: bool = False
    repeats: int = 0


@dataclass(slots=True)
class Entries:
    """The WITH entries that a query can name, its own before those around it."""

    own: dict[str, Entry] = field(default_factory=dict)
    outer: Entries | None = None

    def find(self, name: str) -> Entry | None:
        """Return the entry of a name; None without one."""
        entries: Entries | None = self
        while entries is not None:
            if name.lower() in entries.own:
                return entries.own[name.lower()]
            entries = entries.outer
        return None


@dataclass(slots=True)
class Scope:
    """The names that the expressions of one SELECT can use.

    Attributes:
        depth: How many queries stand around it.
        entries: The WITH entries that it can name.
        outer: The scope around it, whose names it can use too.
        sources: Its sources.
        merged: Columns that USING or NATURAL made one, by name in lower case.
        hidden: Places of the columns that are the others of these.
        windows: Its named windows.
        alias: Returns the value of an output's alias; None where aliases do not count.
        aggregated: Whether an aggregate of it was read.
        used_inside: Columns of it that subqueries among its outputs use, with their places.
    """

    depth: int
    entries: Entries
    outer: Scope | None
    sources: list[BoundSource] = field(default_factory=list)
    merged: dict[str, Typed] = field(default_factory=dict)
    hidden: set[tuple[int, int]] = field(default_factory=set)
    windows: dict[str, nodes.Window] = field(default_factory=dict)
    alias: Callable[[str], Typed | None] | None = None
    aggregated: bool = False
    row_values: bool = True
    used_inside: list[tuple[Expression, int]] = field(default_factory=list)

    def find(self, node: nodes.Name, refusals: Refusals) -> Typed | None:
        """Return what a name stands for in this scope alone; None where it stands for nothing.

        Raises:
            UndescribableQueryError: It stands for several columns.
        """
        wanted, qualifier = node.column.lower(), node.table.lower()
        found: list[Typed] = []
        for position, source in enumerate(self.sources):
            for place, column in enumerate(source.columns):
                if column.name.lower() != wanted or not column.name:
                    continue
                if qualifier:
                    if column.qualifier != qualifier:
                        continue
                elif (position, place) in self.hidden:
                    continue
                found.append(column.typed)
                break
        if len(found) > 1:
            raise refusals.error(
                f"the name {node.column} is ambiguous",
                node.at,
                advice="write the table before it",
            )
        if found:
            return found[0] if qualifier else self.merged.get(wanted, found[0])
        if wanted in _ROW_NUMBERS:
            return self._row_number(qualifier)
        return None

    def _row_number(self, qualifier: str) -> Typed | None:
        found = [
            (position, source.table)
            for position, source in enumerate(self.sources)
            if not qualifier or source.qualifier == qualifier
        ]
        if len(found) != 1:
            return None
        position, table = found[0]
        if table is None or table.is_view:
            return None
        value: Expression = RowNumberOf(self.depth, position, table.name)
        keyed = [each for each in table.columns if each.primary_key_position]
        if len(keyed) == 1 and keyed[0].declared_type.upper() == "INTEGER":
            # The engine keeps the rows by this very column.
            value = ColumnOf(self.depth, position, table.name, keyed[0].name)
        return Typed(value, Affinity.NUMBER, Nature.INTEGER)


def resolve(node: nodes.Name, scope: Scope, refusals: Refusals) -> Typed:
    """Return what a name stands for, from its own SELECT outwards.

    Args:
        node: The name.
        scope: The scope of the SELECT that it stands in.
        refusals: Makes the errors.

    Raises:
        UndescribableQueryError: It stands for nothing, or for several columns.
    """
    around: Scope | None = scope
    while around is not None:
        found = around.find(node, refusals)
        if found is None and not node.table and around.alias is not None:
            found = around.alias(node.column)
        if found is not None:
            if around is not scope and any(
                isinstance(each, Aggregate | Window) for each in nodes_in(found.value)
            ):
                raise refusals.error(
                    f"{node.column} is computed from groups or windows of a query around it",
                    node.at,
                )
            if around is not scope and not around.row_values:
                around.used_inside.append((found.value, node.at))
            return found
        around = around.outer
    if not node.table:
        if node.quote == '"':
            return Typed(Literal(node.column), nature=Nature.TEXT)
        if not node.quote and node.column.upper() in ("TRUE", "FALSE"):
            return Typed(Literal(int(node.column.upper() == "TRUE")), nature=Nature.INTEGER)
    shown = f"{node.table}.{node.column}" if node.table else node.column
    known = [each.name for source in scope.sources for each in source.columns if each.name]
    raise refusals.error(
        f"{shown} names no column of the tables and steps read",
        node.at,
        advice=f"they have: {', '.join(known) or 'no columns'}",
    )


@lru_cache(maxsize=1024)
def table_columns(
    engine: Engine, table: Table, depth: int, position: int, qualifier: str
) -> BoundSource:
    """Bind a table as a source."""
    kind_of = rules_of(engine).kind_of
    columns = []
    for column in table.columns:
        kind = kind_of(column.declared_type.upper())
        value = ColumnOf(depth, position, table.name, column.name)
        declared = column.declared_type.upper()
        strict = kind in (ColumnKind.TIME, ColumnKind.TRUTH)
        typed = Typed(
            value,
            affinity_of(kind),
            nature_of(kind),
            collation=column.collation or "BINARY",
            kind=declared if strict else "",
        )
        columns.append(BoundColumn(qualifier, column.name, typed))
    return BoundSource(TableRows(table.name), tuple(columns), qualifier, table)


def step_columns(
    source: Source,
    columns: tuple[tuple[str, Typed], ...],
    depth: int,
    position: int,
    qualifier: str,
) -> BoundSource:
    """Bind the rows of a step as a source."""
    bound = tuple(
        BoundColumn(
            qualifier,
            name,
            typed._replace(
                value=OutputOf(depth, position, output),
                explicit=False,
                collation=typed.collation or "BINARY",
            ),
        )
        for output, (name, typed) in enumerate(columns)
    )
    return BoundSource(source, bound, qualifier, None)


def step_source(step: int) -> Source:
    """Return the rows of a step as a source."""
    return StepRows(step)
