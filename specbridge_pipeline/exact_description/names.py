"""What a name in a query stands for: tables, WITH entries, columns and output names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.schema import Column, Schema, Table
from specbridge_pipeline.errors import UndescribableQueryError
from specbridge_pipeline.exact_description.structure import (
    ColumnValue,
    Expression,
    Source,
    StepSource,
    StepValue,
    TableSource,
)
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.parsing import shorten

_ADVICE = (
    "describable are SELECTs with joins, conditions joined by AND, groups, aggregates, "
    "arithmetic, RANK, ORDER BY and LIMIT"
)


def undescribable(
    problem: str,
    place: str,
    node: exp.Expr | None = None,
    *,
    engine: Engine = Engine.SQLITE,
    advice: str = _ADVICE,
) -> UndescribableQueryError:
    """Return the error for a construct.

    Args:
        problem: What is wrong, as a sentence without its full stop.
        place: Which SELECT it stands in.
        node: The construct.
        engine: The engine that the query is for.
        advice: What to do about it.
    """
    where = (
        place if node is None else f"{place}, at `{shorten(node.sql(rules_of(engine).dialect))}`"
    )
    return UndescribableQueryError(problem, where=where, advice=advice)


@dataclass(slots=True)
class Entry:
    """A WITH entry, read when it is first named.

    Attributes:
        name: Its name as written.
        query: Its SELECT.
        columns: Names that it gives its columns; empty where it takes those of the SELECT.
        visible: The entries that its SELECT can name.
        step: Index of its step, once it is read.
        open: Whether it is being read just now.
    """

    name: str
    query: exp.Expr
    columns: tuple[str, ...]
    visible: Entries
    step: int | None = None
    open: bool = False


@dataclass(frozen=True, slots=True)
class Entries:
    """The WITH entries that a SELECT can name, those of the SELECTs around it included."""

    own: dict[str, Entry] = field(default_factory=dict)
    outer: Entries | None = None

    def find(self, name: str) -> Entry | None:
        """Return the entry of a name, the innermost one first."""
        found = self.own.get(name.lower())
        if found is None and self.outer is not None:
            return self.outer.find(name)
        return found


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A source under the name by which its SELECT knows it.

    Attributes:
        name: The name in lower case; empty for a derived table without one.
        source: What it is.
        columns: The names of its columns, as declared.
        table: The table, where it is one.
    """

    name: str
    source: Source
    columns: tuple[str, ...]
    table: Table | None

    def value(self, position: int, column: int) -> Expression:
        """Return a column of it as a value.

        Args:
            position: Position of the source in its step.
            column: Position of the column in the source.
        """
        if isinstance(self.source, TableSource):
            return ColumnValue(position, self.source.table, self.columns[column])
        assert isinstance(self.source, StepSource)
        return StepValue(position, self.source.step, column)


@dataclass(slots=True)
class Scope:
    """The names that the expressions of one SELECT can use.

    Attributes:
        place: Which SELECT it is, in words.
        sources: Its sources.
        entries: The WITH entries that subqueries in it can name.
        outer: The scope of the SELECT around a subquery; only to say that a name is from there.
        engine: The engine that the query is for.
    """

    place: str
    entries: Entries
    outer: Scope | None
    engine: Engine
    sources: list[NamedSource] = field(default_factory=list)

    def column(
        self, node: exp.Column, alias: Callable[[str], Expression | None] | None
    ) -> Expression:
        """Return what a column name stands for: a source's column first, then an output.

        Args:
            node: The name.
            alias: Returns the value of an output name; None where output names do not count.

        Raises:
            UndescribableQueryError: It stands for nothing, or for several columns.
        """
        for part in ("db", "catalog"):
            if node.args.get(part) is not None:
                raise undescribable(
                    "a column with the name of its database cannot be described",
                    self.place,
                    node,
                    engine=self.engine,
                )
        found = self._find(node)
        if len(found) > 1:
            raise undescribable(
                f"the name {node.name} is ambiguous",
                self.place,
                node,
                engine=self.engine,
                advice="write the table before it",
            )
        if found:
            return found[0]
        if alias is not None and not node.table:
            value = alias(node.name)
            if value is not None:
                return value
        outer = self.outer
        while outer is not None:
            if outer._find(node):
                raise undescribable(
                    f"a subquery that uses {node.name} of the SELECT around it (a correlated "
                    "subquery) cannot be described",
                    self.place,
                    node,
                    engine=self.engine,
                )
            outer = outer.outer
        raise undescribable(
            f"{node.sql(rules_of(self.engine).dialect)} names no column of the tables and steps "
            "read",
            self.place,
            node,
            engine=self.engine,
            advice=f"they have: {self._known()}",
        )

    def _known(self) -> str:
        names = [name for each in self.sources for name in each.columns if name]
        return ", ".join(names) or "no columns"

    def _find(self, node: exp.Column) -> list[Expression]:
        wanted, qualifier = node.name.lower(), node.table.lower()
        found = []
        for position, source in enumerate(self.sources):
            if qualifier and source.name != qualifier:
                continue
            for column, name in enumerate(source.columns):
                if name and name.lower() == wanted:
                    found.append(source.value(position, column))
                    # Of equal names in one source the engine takes the first.
                    break
        return found

    def declared(self, value: ColumnValue) -> Column | None:
        """Return a column as its table declares it."""
        table = self.sources[value.source].table
        if table is None:
            return None
        return next((each for each in table.columns if each.name == value.column), None)


def table_of(schema: Schema, name: str) -> Table | None:
    """Return a table by its name in any case."""
    return next((each for each in schema.tables if each.name.lower() == name.lower()), None)
