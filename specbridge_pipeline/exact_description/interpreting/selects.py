"""One SELECT or VALUES: its sources and joins, outputs, groups and order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.exact_description.interpreting.affinity import (
    NUMERIC_NATURES,
    Typed,
    shared_nature,
    usual,
)
from specbridge_pipeline.exact_description.interpreting.bindings import (
    BoundSource,
    Entries,
    Refusals,
    Scope,
)
from specbridge_pipeline.exact_description.interpreting.comparisons import joined_conditions
from specbridge_pipeline.exact_description.interpreting.places import (
    GROUPS,
    OUTPUTS,
    ROWS,
    uncollated,
)
from specbridge_pipeline.exact_description.interpreting.values import ValueReader
from specbridge_pipeline.exact_description.queries.canonical import content_of
from specbridge_pipeline.exact_description.queries.model import (
    Aggregate,
    ColumnOf,
    Condition,
    Expression,
    Function,
    GroupKey,
    Join,
    JoinKind,
    ListedRows,
    Literal,
    OfOneRow,
    OrderKey,
    OutputOf,
    RowNumberOf,
    Selection,
    Window,
    nodes_in,
)
from specbridge_pipeline.exact_description.queries.rebuilding import rebuilt
from specbridge_pipeline.sql.syntax import nodes

Columns = tuple[tuple[str, Typed], ...]
"""Names and types of the columns of a step."""


class Sources(Protocol):
    """Reads the sources of a SELECT and the queries among its values."""

    def source(self, node: nodes.FromItem, scope: Scope) -> BoundSource:
        """Bind an item of a FROM clause as the next source of a scope."""

    def subquery(self, node: nodes.Query, scope: Scope) -> tuple[int, Columns]:
        """Read a query that stands among the values of a SELECT."""


class SelectReader:
    """Reads one SELECT or VALUES without its order and limit."""

    def __init__(
        self,
        reader: Sources,
        schema: Schema,
        refusals: Refusals,
        node: nodes.Core,
        entries: Entries,
        outer: Scope | None,
        depth: int,
    ) -> None:
        self._reader = reader
        self._schema = schema
        self._refusals = refusals
        self._node = node
        self._scope = Scope(depth, entries, outer)
        self.values = ValueReader(self._scope, schema, reader, refusals)
        self._outputs: list[tuple[str, Typed]] = []
        self._aliases: list[str | None] = []
        self._items: dict[int, Typed] = {}
        self._keys: tuple[GroupKey, ...] = ()
        self._key_contents: set[str] = set()
        self._grouped = False
        self._extreme: Aggregate | None = None
        self._joined: tuple[nodes.Join, ...] = ()
        self._late_conditions: list[Condition] = []

    def aliases(self) -> list[str | None]:
        """Return the alias of each output."""
        return self._aliases

    def star_qualifiers(self) -> Iterator[str]:
        """Yield what stands before the point in the columns that a star stands for."""
        for position, source in enumerate(self._scope.sources):
            for place, column in enumerate(source.columns):
                if (position, place) not in self._scope.hidden:
                    yield column.qualifier

    def read(self) -> tuple[Selection | ListedRows, Columns]:
        """Read all of it but its order; see `finished` for what that leaves to do.

        Returns:
            What it does, and the names and types of its columns.

        Raises:
            UndescribableQueryError: It holds a construct without words.
        """
        node = self._node
        if isinstance(node, nodes.Values):
            return self._listed(node)
        joins = self._sources(node)
        for name, window in node.windows:
            self._scope.windows[name.lower()] = window
        self._scope.row_values = False
        self._read_outputs(node)
        self._scope.alias = self._alias
        self._scope.row_values = True
        conditions = [] if node.where is None else [self.values.condition(node.where, ROWS)]
        conditions += self._late_conditions
        condition = joined_conditions(conditions, all_hold=True) if conditions else None
        self._keys = self._group_keys(node)
        self._key_contents = {content_of(key.value) for key in self._keys}
        self._scope.row_values = False
        group_condition = None
        if node.having is not None:
            group_condition = self.values.condition(node.having, GROUPS)
        self._grouped = bool(self._keys) or bool(node.groups) or node.having is not None
        body = Selection(
            tuple(each.source for each in self._scope.sources),
            joins,
            condition,
            self._keys,
            tuple(typed.value for _, typed in self._outputs),
            group_condition,
            self._grouped,
            node.distinct,
            collations_of(tuple(self._outputs)) if node.distinct else (),
        )
        return body, tuple(self._outputs)

    def _listed(self, node: nodes.Values) -> tuple[ListedRows, Columns]:
        rows = [[self.values.value(each, ROWS) for each in row] for row in node.rows]
        width = len(rows[0])
        if any(len(row) != width for row in rows):
            raise self._refusals.error("the rows of VALUES are of different length", node.at)
        columns = []
        for at in range(width):
            nature = shared_nature(row[at].nature for row in rows)
            columns.append((f"column{at + 1}", Typed(Literal(None), nature=nature)))
        self._aliases = [None] * width
        return ListedRows(tuple(tuple(each.value for each in row) for row in rows)), tuple(columns)

    def finished(
        self, body: Selection | ListedRows, order: tuple[OrderKey, ...]
    ) -> Selection | ListedRows:
        """Mark the columns that stand beside groups without being grouped by or aggregated."""
        if isinstance(body, ListedRows):
            return body
        self._grouped = self._grouped or self._scope.aggregated
        if not self._grouped:
            return body
        self._check_used_inside()
        parts = (body.values, body.group_condition, tuple(key.value for key in order))
        extremes = {
            each
            for each in nodes_in(parts, within_aggregates=False)
            if isinstance(each, Aggregate) and each.function in ("minimum", "maximum")
        }
        # An aggregate inside a window is computed over groups, and picks no row.
        for each in nodes_in(parts):
            if isinstance(each, Window) and each.aggregate is not None:
                extremes.discard(each.aggregate)
        self._extreme = extremes.pop() if len(extremes) == 1 else None
        condition = body.group_condition
        return Selection(
            body.sources,
            body.joins,
            body.condition,
            body.keys,
            tuple(self._wrapped(each) for each in body.values),
            None if condition is None else self._wrapped(condition),
            True,
            body.distinct,
            body.collations,
        )

    def wrapped_order(self, order: tuple[OrderKey, ...]) -> tuple[OrderKey, ...]:
        """Mark such columns in the keys of an order."""
        if not self._grouped:
            return order
        return tuple(
            OrderKey(self._wrapped(key.value), key.descending, key.missing_first, key.collation)
            for key in order
        )

    def _wrapped(self, value: Any) -> Any:
        if self._is_key(value):
            return value
        if isinstance(value, Aggregate):
            return value
        if isinstance(value, Window) and value.aggregate is not None:
            inner = value.aggregate
            condition = inner.condition
            aggregate = replace(
                inner,
                arguments=tuple(self._wrapped(each) for each in inner.arguments),
                condition=None if condition is None else self._wrapped(condition),
            )
            return Window(
                "",
                (),
                aggregate,
                tuple(self._wrapped(each) for each in value.partition),
                self.wrapped_order(value.order),
                value.frame,
            )
        if isinstance(value, ColumnOf | OutputOf | RowNumberOf):
            if value.depth < self._scope.depth or self._follows_from_keys(value):
                return value
            return OfOneRow(value, self._extreme)
        return rebuilt(value, self._wrapped)

    def _check_used_inside(self) -> None:
        for value, at in self._scope.used_inside:
            if not isinstance(value, ColumnOf | OutputOf | RowNumberOf):
                continue
            if not self._is_key(value) and not self._follows_from_keys(value):
                raise self._refusals.error(
                    "a subquery that uses a column neither grouped by nor aggregated", at
                )

    def _is_key(self, value: Any) -> bool:
        # 1 and 1.0 are equal to Python, and are not the same to a division.
        return content_of(value) in self._key_contents

    def _follows_from_keys(self, value: Expression) -> bool:
        """Say whether all rows of a group have one value, as their table's key tells."""
        if not isinstance(value, ColumnOf):
            return False
        table = self._scope.sources[value.source].table
        if table is None or not table.primary_key:
            return False
        for name in table.primary_key:
            declared = next(each for each in table.columns if each.name == name)
            column = ColumnOf(value.depth, value.source, table.name, name)
            if not self._is_key(column):
                return False
            integer_key = len(table.primary_key) == 1 and declared.declared_type.upper() == (
                "INTEGER"
            )
            # Other primary keys may hold missing values in SQLite, more than once. A table whose
            # rows are all missing beside unmatched ones has one value too.
            if not declared.not_null and not integer_key:
                return False
        return True

    # Sources.

    def _sources(self, node: nodes.Select) -> tuple[Join, ...]:
        if node.source is None:
            return ()
        self._joined = node.source.joins
        for item in (node.source.first, *(each.item for each in node.source.joins)):
            self._scope.sources.append(self._reader.source(item, self._scope))
        return tuple(
            self._join(position, each) for position, each in enumerate(node.source.joins, start=1)
        )

    def _join(self, position: int, node: nodes.Join) -> Join:
        kind = JoinKind(node.kind.lower())
        if node.on is not None:
            on = self.values.condition(node.on, ROWS)
            if any(
                getattr(each, "depth", None) == self._scope.depth and each.source > position
                for each in nodes_in(on)
            ):
                kinds = {each.kind for each in self._joined}
                if not kinds <= {"INNER", "CROSS"}:
                    raise self._refusals.error("a join condition uses a later table", node.at)
                # Where only matching rows stay, the engine looks at the condition at the end.
                self._late_conditions.append(on)
                return Join(JoinKind.CROSS, position, None)
            return Join(JoinKind.INNER if kind is JoinKind.CROSS else kind, position, on)
        names = node.using
        if node.natural:
            names = self._shared_names(position)
        if not names:
            return Join(JoinKind.CROSS if kind is JoinKind.INNER else kind, position, None)
        parts: list[Condition] = [self._merged(position, name, kind, node.at) for name in names]
        return Join(kind, position, joined_conditions(parts, all_hold=True))

    def _shared_names(self, position: int) -> tuple[str, ...]:
        earlier = {
            column.name.lower()
            for at, source in enumerate(self._scope.sources[:position])
            for place, column in enumerate(source.columns)
            if (at, place) not in self._scope.hidden
        }
        return tuple(
            column.name
            for column in self._scope.sources[position].columns
            if column.name.lower() in earlier
        )

    def _merged(self, position: int, name: str, kind: JoinKind, at: int) -> Condition:
        wanted = name.lower()
        left: Typed | None = None
        for source_at, source in enumerate(self._scope.sources[:position]):
            for place, column in enumerate(source.columns):
                hidden = (source_at, place) in self._scope.hidden
                if column.name.lower() == wanted and not hidden:
                    if left is not None:
                        raise self._refusals.error(f"the name {name} is ambiguous", at)
                    left = self._scope.merged.get(wanted, column.typed)
                    break
        right: Typed | None = None
        for place, column in enumerate(self._scope.sources[position].columns):
            if column.name.lower() == wanted:
                right = column.typed
                self._scope.hidden.add((position, place))
                break
        if left is None or right is None:
            raise self._refusals.error(f"the column {name} is not on both sides of the join", at)
        if kind in (JoinKind.RIGHT, JoinKind.FULL):
            either = Function("coalesce", (left.value, right.value))
            self._scope.merged[wanted] = Typed(
                either, nature=shared_nature((left.nature, right.nature))
            )
        return self.values.compared("=", left, right)

    # Outputs, groups and order.

    def _read_outputs(self, node: nodes.Select) -> None:
        for item in node.items:
            if isinstance(item, nodes.Star):
                for name, typed in self._star(item):
                    self._outputs.append((name, typed))
                    self._aliases.append(None)
                continue
            typed = self._item(item)
            self._outputs.append((self._name(item, typed), typed))
            self._aliases.append(item.alias)

    def _item(self, item: nodes.Item) -> Typed:
        if id(item) not in self._items:
            self._items[id(item)] = self.values.value(item.value, OUTPUTS)
        return self._items[id(item)]

    def _name(self, item: nodes.Item, typed: Typed) -> str:
        if item.alias is not None:
            return item.alias
        # What the engine calls an unnamed expression is nothing to rely on.
        if not isinstance(item.value, nodes.Name):
            return ""
        value = typed.value
        if isinstance(value, ColumnOf):
            return value.column
        if isinstance(value, RowNumberOf):
            # Under whichever of its names it is asked for.
            return "rowid"
        if isinstance(value, OutputOf) and value.depth == self._scope.depth:
            return self._scope.sources[value.source].columns[value.output].name
        if isinstance(value, Literal):
            return ""
        wanted = item.value.column.lower()
        declared = (column.name for source in self._scope.sources for column in source.columns)
        return next((name for name in declared if name.lower() == wanted), item.value.column)

    def _star(self, item: nodes.Star) -> Iterator[tuple[str, Typed]]:
        found = False
        for position, source in enumerate(self._scope.sources):
            for place, column in enumerate(source.columns):
                if item.table:
                    if column.qualifier != item.table.lower():
                        continue
                    yield column.name, column.typed
                elif (position, place) not in self._scope.hidden:
                    merged = self._scope.merged.get(column.name.lower())
                    yield column.name, column.typed if merged is None else merged
                found = True
        if not found:
            raise self._refusals.error("the star stands for no columns", item.at)

    def _alias(self, name: str) -> Typed | None:
        assert isinstance(self._node, nodes.Select)
        for item in self._node.items:
            alias = item.alias if isinstance(item, nodes.Item) else None
            if alias is not None and alias.lower() == name.lower():
                assert isinstance(item, nodes.Item)
                return self._item(item)
        return None

    def _group_keys(self, node: nodes.Select) -> tuple[GroupKey, ...]:
        keys: list[GroupKey] = []
        for each in node.groups:
            typed = self._by_position(each)
            if typed is None:
                typed = self.values.value(each, ROWS)
            elif any(isinstance(part, Aggregate | Window) for part in nodes_in(typed.value)):
                raise self._refusals.error("a group by an aggregate cannot be described", each.at)
            collation = "" if typed.nature in NUMERIC_NATURES else usual(typed.collation)
            key = GroupKey(typed.value, collation)
            if content_of(key) not in [content_of(other) for other in keys]:
                keys.append(key)
        return tuple(keys)

    def _by_position(self, value: nodes.Expression) -> Typed | None:
        number = whole_number(value)
        if number is None:
            return None
        if not 1 <= number <= len(self._outputs):
            raise self._refusals.error("the number is no position of an output", value.at)
        return self._outputs[number - 1][1]

    def order(self, terms: tuple[nodes.Ordering, ...]) -> tuple[OrderKey, ...]:
        """Read the keys of the order of the SELECT."""
        if isinstance(self._node, nodes.Values):
            if terms:
                raise self._refusals.error("an order of VALUES cannot be described", terms[0].at)
            return ()
        found = []
        for term in terms:
            value, collation = uncollated(term.value)
            typed = self._by_position(value)
            if typed is None and isinstance(value, nodes.Name) and not value.table:
                # A bare name is an output's alias first, and a column only if there is none.
                typed = self._alias(value.column)
            if typed is None:
                typed = self.values.value(value, OUTPUTS)
            if collation:
                typed = self.values.collated(typed, collation, term.at)
            found.append((term, typed))
        return self.values.keys(found)


def whole_number(value: nodes.Expression) -> int | None:
    """Return a whole number that is written out, as in ORDER BY 2; None for anything else."""
    if isinstance(value, nodes.Number) and value.text.isdigit():
        return int(value.text)
    return None


def collations_of(columns: Columns) -> tuple[str, ...]:
    """Return how texts of columns are told apart; empty where all of them are as usual."""
    found = tuple(
        "" if typed.nature in NUMERIC_NATURES else usual(typed.collation) for _, typed in columns
    )
    return found if any(found) else ()
