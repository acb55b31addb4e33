"""From syntax to steps: every SELECT, set operation, VALUES and recursion a step of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UndescribableQueryError
from specbridge_pipeline.exact_description.affinity import (
    NUMERIC_NATURES,
    Affinity,
    Nature,
    Typed,
    shared_nature,
    usual,
)
from specbridge_pipeline.exact_description.bindings import (
    BoundColumn,
    BoundSource,
    Entries,
    Entry,
    Refusals,
    Scope,
    step_columns,
    table_columns,
)
from specbridge_pipeline.exact_description.canonical import content_of
from specbridge_pipeline.exact_description.names import table_of
from specbridge_pipeline.exact_description.query import (
    Aggregate,
    ColumnOf,
    Combination,
    Condition,
    Expression,
    Function,
    FunctionRows,
    GroupKey,
    Join,
    JoinKind,
    ListedRows,
    Literal,
    OfOneRow,
    OrderKey,
    OutputOf,
    OwnOutput,
    Query,
    Repetition,
    RowNumberOf,
    RowsSoFar,
    Selection,
    Step,
    StepRows,
    Window,
    nodes_in,
)
from specbridge_pipeline.exact_description.reading import read_structure
from specbridge_pipeline.exact_description.reading_values import (
    GROUPS,
    OUTPUTS,
    ROWS,
    ValueReader,
    joined_conditions,
    uncollated,
)
from specbridge_pipeline.exact_description.rebuilding import rebuilt
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.syntax import nodes
from specbridge_pipeline.sql.syntax.parser import parse_statement

Columns = tuple[tuple[str, Typed], ...]
_Part = tuple[str, int, Columns, bool]

_OPERATORS = {
    "UNION ALL": "union_all",
    "UNION": "union",
    "INTERSECT": "intersect",
    "EXCEPT": "except",
}
_TABLE_FUNCTIONS = {
    "json_each": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path"),
    "json_tree": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path"),
    "generate_series": ("value",),
}


def read_query(sql: str, schema: Schema) -> Query:
    """Read a query as it is described.

    WITH entries that nothing reads are no part of it.

    Args:
        sql: One statement, for the engine of the schema.
        schema: The tables that it can read.

    Returns:
        The query, names spelled as the schema declares them.

    Raises:
        UndescribableQueryError: It holds a construct without words, or a name that stands for
            nothing; the error names both the construct and its place.
        UnusableReferenceError: It cannot be parsed, or is not one query.
    """
    if schema.engine is not Engine.SQLITE:
        # The other engine's SQL is described as far as the plans of request sets go.
        read_structure(sql, schema)
    tree = parse_statement(sql, schema.engine)
    refusals = Refusals(sql)
    try:
        reader = _QueryReader(schema, refusals)
        reader.query(tree, Entries(), None, 0)
    except RecursionError as error:
        raise refusals.error("the query is nested too deeply", 0) from error
    return Query(tuple(reader.steps))


class _QueryReader:
    def __init__(self, schema: Schema, refusals: Refusals) -> None:
        self._schema = schema
        self._refusals = refusals
        self._subqueries: dict[int, tuple[int, Columns]] = {}
        self.steps: list[Step] = []

    def subquery(self, node: nodes.Query, scope: Scope) -> tuple[int, Columns]:
        """Read a query that stands among the values of a SELECT."""
        # An alias can bring in the same query more than once.
        if id(node) not in self._subqueries:
            self._subqueries[id(node)] = self.query(node, scope.entries, scope, scope.depth + 1)
        return self._subqueries[id(node)]

    def query(
        self,
        node: nodes.Query,
        entries: Entries,
        outer: Scope | None,
        depth: int,
        entry: Entry | None = None,
    ) -> tuple[int, Columns]:
        """Read a query and return its step and its columns."""
        entries = self._with(node, entries, outer, depth)
        if node.others:
            return self._combined(node, entries, outer, depth, entry)
        core = _CoreReader(self, self._schema, self._refusals, node.first, entries, outer, depth)
        body, columns = core.read()
        order = core.order(node.order)
        limit, offset = self._cut(node, core.values)
        body = core.finished(body, order)
        order = core.wrapped_order(order)
        return self._added(
            Step(depth, body, tuple(name for name, _ in columns), order, limit, offset)
        ), columns

    def _added(self, step: Step) -> int:
        self.steps.append(step)
        return len(self.steps) - 1

    def _with(
        self, node: nodes.Query, outer_entries: Entries, outer: Scope | None, depth: int
    ) -> Entries:
        if not node.entries:
            return outer_entries
        entries = Entries({}, outer_entries)
        for each in node.entries:
            if each.name.lower() in entries.own:
                raise self._refusals.error(f"there are two WITH entries {each.name}", each.at)
            entries.own[each.name.lower()] = Entry(each, entries, depth, outer)
        return entries

    def _combined(
        self,
        node: nodes.Query,
        entries: Entries,
        outer: Scope | None,
        depth: int,
        entry: Entry | None,
    ) -> tuple[int, Columns]:
        cores, parts = self._parts(node, entries, outer, depth, entry)
        if entry is not None and entry.columns is not None and any(part[3] for part in parts):
            shared = _shared_columns([part[2] for part in parts])
            assumed = [typed.nature for _, typed in entry.columns]
            if assumed != [typed.nature for _, typed in shared]:
                # The rows that are added hold other values than those that they begin with.
                entry.columns = tuple(
                    (name, typed._replace(nature=Nature.ANY)) for name, typed in entry.columns
                )
                cores, parts = self._parts(node, entries, outer, depth, entry)
        columns = _shared_columns([columns for _, _, columns, _ in parts])
        order = self._combined_order(node, cores, [part[2] for part in parts], columns)
        limit, offset = self._cut(node, cores[0].values)
        names = tuple(name for name, _ in columns)
        whole = self._body_of_parts(node, parts, columns, depth)
        return self._added(Step(depth, whole, names, order, limit, offset)), columns

    def _parts(
        self,
        node: nodes.Query,
        entries: Entries,
        outer: Scope | None,
        depth: int,
        entry: Entry | None,
    ) -> tuple[list[_CoreReader], list[_Part]]:
        """Read the SELECTs that are put together, each with whether it reads the whole again."""
        cores: list[_CoreReader] = []
        parts: list[_Part] = []
        for operator, part in (("", node.first), *node.others):
            before = 0 if entry is None else entry.repeats
            if entry is not None and parts and entry.columns is None:
                entry.columns = self._named(entry, parts[0][2])
            core = _CoreReader(self, self._schema, self._refusals, part, entries, outer, depth)
            body, columns = core.read()
            body = core.finished(body, ())
            names = tuple(name for name, _ in columns)
            step = self._added(Step(depth, body, names, (), None, None))
            if parts and len(columns) != len(parts[0][2]):
                raise self._refusals.error(
                    "the SELECTs put together return different numbers of columns", part.at
                )
            repeats = entry is not None and entry.repeats > before
            parts.append((operator, step, columns, repeats))
            cores.append(core)
        return cores, parts

    def _body_of_parts(
        self,
        node: nodes.Query,
        parts: list[_Part],
        columns: Columns,
        depth: int,
    ) -> Combination | Repetition:
        repeated = [at for at, part in enumerate(parts) if part[3]]
        operators = [_OPERATORS[part[0]] for part in parts[1:]]
        if not repeated:
            return Combination(
                parts[0][1],
                tuple(
                    (operator, part[1]) for operator, part in zip(operators, parts[1:], strict=True)
                ),
                _collations(columns) if set(operators) != {"union_all"} else (),
            )
        begin = repeated[0]
        if repeated != list(range(begin, len(parts))):
            raise self._refusals.error("a recursion with parts in this order", node.at)
        kinds = set(operators[begin - 1 :])
        if len(kinds) > 1 or not kinds <= {"union", "union_all"}:
            raise self._refusals.error("a recursion by other than one kind of UNION", node.at)
        first = parts[0][1]
        if any(_collations(columns)) and "union" in operators:
            raise self._refusals.error("a recursion by a collation cannot be described", node.at)
        names = tuple(name for name, _ in columns)
        if begin > 1:
            combination = Combination(
                first,
                tuple(
                    (operator, part[1])
                    for operator, part in zip(operators, parts[1:begin], strict=False)
                ),
            )
            first = self._added(Step(depth, combination, names, (), None, None))
        return Repetition(first, tuple(part[1] for part in parts[begin:]), kinds == {"union"})

    def _combined_order(
        self,
        node: nodes.Query,
        cores: list[_CoreReader],
        parts: list[Columns],
        columns: Columns,
    ) -> tuple[OrderKey, ...]:
        terms = []
        for term in node.order:
            value, collation = uncollated(term.value)
            position = self._position(value, cores, parts)
            if position is None:
                raise self._refusals.error(
                    "an order of rows put together by what is no column of theirs", term.at
                )
            typed = columns[position][1]._replace(value=OwnOutput(position))
            if collation:
                typed = cores[0].values.collated(typed, collation, term.at)
            terms.append((term, typed))
        return cores[0].values.keys(terms)

    def _position(
        self, value: nodes.Expression, cores: list[_CoreReader], parts: list[Columns]
    ) -> int | None:
        number = _whole_number(value)
        if number is not None:
            return number - 1 if 1 <= number <= len(parts[0]) else None
        for core, columns in zip(cores, parts, strict=True):
            if isinstance(value, nodes.Name) and not value.table:
                for position, alias in enumerate(core.aliases()):
                    if alias is not None and alias.lower() == value.column.lower():
                        return position
            try:
                found = core.values.value(value, OUTPUTS).value
            except UndescribableQueryError:
                continue
            for position, (_, typed) in enumerate(columns):
                if content_of(typed.value) == content_of(found) and not isinstance(found, Literal):
                    return position
        return None

    def _cut(
        self, node: nodes.Query, values: ValueReader
    ) -> tuple[Expression | None, Expression | None]:
        def number(part: nodes.Expression | None) -> Expression | None:
            if part is None:
                return None
            value = values.value(part, ROWS).value
            if isinstance(value, Literal):
                if isinstance(value.value, str) and value.value.strip().lstrip("+-").isdigit():
                    value = Literal(int(value.value))
                if not isinstance(value.value, int):
                    raise self._refusals.error("a LIMIT or OFFSET that is no whole number", part.at)
            elif any(isinstance(each, ColumnOf | OutputOf) for each in nodes_in(value)):
                raise self._refusals.error("a LIMIT by a column cannot be described", part.at)
            return value

        limit, offset = number(node.limit), number(node.offset)
        negative = rules_of(self._schema.engine).negative_limits
        for value in (limit, offset):
            whole = value.value if isinstance(value, Literal) else 0
            if not negative and isinstance(whole, int) and whole < 0:
                raise self._refusals.error("a negative LIMIT gives no result", node.at)
        # The engine reads a negative limit as none, and a negative offset as zero.
        if isinstance(limit, Literal) and isinstance(limit.value, int) and limit.value < 0:
            limit = None
        if isinstance(offset, Literal) and isinstance(offset.value, int) and offset.value <= 0:
            offset = None
        return limit, offset

    def _named(self, entry: Entry, columns: Columns) -> Columns:
        names = entry.node.columns
        if not names:
            return columns
        if len(names) != len(columns):
            raise self._refusals.error(
                "the WITH entry names another number of columns", entry.node.at
            )
        return tuple((name, typed) for name, (_, typed) in zip(names, columns, strict=True))

    def source(self, node: nodes.FromItem, scope: Scope) -> BoundSource:
        """Bind an item of a FROM clause as the next source of a scope."""
        position = len(scope.sources)
        if isinstance(node, nodes.TableItem):
            qualifier = (node.alias or node.name).lower()
            entry = scope.entries.find(node.name)
            if entry is not None:
                return self._entry_source(entry, node, scope, qualifier)
            table = table_of(self._schema, node.name)
            if table is None:
                raise self._refusals.error(
                    f"there is no table or step {node.name}",
                    node.at,
                    advice=f"there are: {', '.join(each.name for each in self._schema.tables)}",
                )
            return table_columns(self._schema.engine, table, scope.depth, position, qualifier)
        if isinstance(node, nodes.QueryItem):
            step, columns = self.query(node.query, scope.entries, scope.outer, scope.depth)
            if node.columns:
                if len(node.columns) != len(columns):
                    raise self._refusals.error("an alias names another number of columns", node.at)
                columns = tuple(
                    (name, typed) for name, (_, typed) in zip(node.columns, columns, strict=True)
                )
            return step_columns(StepRows(step), columns, scope.depth, position, node.alias.lower())
        if isinstance(node, nodes.FunctionItem):
            return self._function_source(node, scope, position)
        return self._joined_source(node, scope, position)

    def _entry_source(
        self, entry: Entry, node: nodes.TableItem, scope: Scope, qualifier: str
    ) -> BoundSource:
        position = len(scope.sources)
        if entry.open:
            if entry.columns is None:
                raise self._refusals.error(
                    "a step that reads itself and begins with nothing cannot be described", node.at
                )
            entry.repeats += 1
            return step_columns(RowsSoFar(), entry.columns, scope.depth, position, qualifier)
        if entry.step is None:
            entry.open = True
            step, columns = self.query(
                entry.node.query, entry.visible, entry.outer, entry.depth, entry
            )
            entry.open = False
            entry.step, entry.columns = step, self._named(entry, columns)
        assert entry.columns is not None
        return step_columns(StepRows(entry.step), entry.columns, scope.depth, position, qualifier)

    def _function_source(
        self, node: nodes.FunctionItem, scope: Scope, position: int
    ) -> BoundSource:
        if node.name not in _TABLE_FUNCTIONS:
            raise self._refusals.error(
                f"the function {node.name} as a table cannot be described", node.at
            )
        values = ValueReader(scope, self._schema, self, self._refusals)
        arguments = tuple(values.value(each, ROWS).value for each in node.arguments)
        names = _TABLE_FUNCTIONS[node.name]
        columns = tuple((name, Typed(Literal(None))) for name in names)
        source = FunctionRows(node.name, arguments)
        return step_columns(
            source, columns, scope.depth, position, (node.alias or node.name).lower()
        )

    def _joined_source(self, node: nodes.JoinedItem, scope: Scope, position: int) -> BoundSource:
        """Bind a join between parentheses: a step that returns all columns of its sources."""
        select = nodes.Select(
            False, (nodes.Star("", node.at),), node.joined, None, (), None, (), node.at
        )
        core = _CoreReader(
            self, self._schema, self._refusals, select, scope.entries, scope.outer, scope.depth
        )
        body, columns = core.read()
        body = core.finished(body, ())
        names = tuple(name for name, _ in columns)
        step = self._added(Step(scope.depth, body, names, (), None, None))
        bound = step_columns(StepRows(step), columns, scope.depth, position, node.alias.lower())
        if node.alias:
            return bound
        renamed = tuple(
            BoundColumn(qualifier, each.name, each.typed)
            for qualifier, each in zip(core.star_qualifiers(), bound.columns, strict=True)
        )
        return BoundSource(bound.source, renamed, "", None)


class _CoreReader:
    """Reads one SELECT or VALUES without its order and limit."""

    def __init__(
        self,
        reader: _QueryReader,
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
            _collations(tuple(self._outputs)) if node.distinct else (),
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
        number = _whole_number(value)
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


def _whole_number(value: nodes.Expression) -> int | None:
    if isinstance(value, nodes.Number) and value.text.isdigit():
        return int(value.text)
    return None


def _collations(columns: Columns) -> tuple[str, ...]:
    """Return how texts of columns are told apart; empty where all of them are as usual."""
    found = tuple(
        "" if typed.nature in NUMERIC_NATURES else usual(typed.collation) for _, typed in columns
    )
    return found if any(found) else ()


def _shared_columns(parts: list[Columns]) -> Columns:
    """Return names and types of the columns of rows put together."""
    columns = []
    for at, (name, first) in enumerate(parts[0]):
        typed = [part[at][1] for part in parts]
        affinity = next(
            (each.affinity for each in typed if each.affinity is not Affinity.NOTHING),
            Affinity.NOTHING,
        )
        natures = [each.nature for each in typed]
        # A column that may hold both numbers and texts leans to neither.
        if affinity is Affinity.TEXT and any(each is not Nature.TEXT for each in natures):
            affinity = Affinity.BLOB
        if affinity is Affinity.NUMBER and any(
            each.nature is Nature.TEXT and each.affinity is not Affinity.NUMBER for each in typed
        ):
            affinity = Affinity.BLOB
        collation = next((each.collation for each in typed if each.collation), "")
        columns.append((name, Typed(first.value, affinity, shared_nature(natures), collation)))
    return tuple(columns)
