"""From syntax to steps: every SELECT, set operation, VALUES and recursion a step of its own."""

from __future__ import annotations

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UndescribableQueryError
from specbridge_pipeline.exact_description.interpreting.affinity import (
    Affinity,
    Nature,
    Typed,
    shared_nature,
)
from specbridge_pipeline.exact_description.interpreting.bindings import (
    BoundColumn,
    BoundSource,
    Entries,
    Entry,
    Refusals,
    Scope,
    step_columns,
    table_columns,
)
from specbridge_pipeline.exact_description.interpreting.places import (
    OUTPUTS,
    ROWS,
    uncollated,
)
from specbridge_pipeline.exact_description.interpreting.selects import (
    Columns,
    SelectReader,
    collations_of,
    whole_number,
)
from specbridge_pipeline.exact_description.interpreting.values import ValueReader
from specbridge_pipeline.exact_description.names import table_of
from specbridge_pipeline.exact_description.queries.canonical import content_of
from specbridge_pipeline.exact_description.queries.model import (
    ColumnOf,
    Combination,
    Expression,
    FunctionRows,
    Literal,
    OrderKey,
    OutputOf,
    OwnOutput,
    Query,
    Repetition,
    RowsSoFar,
    Step,
    StepRows,
    nodes_in,
)
from specbridge_pipeline.exact_description.reading import read_structure
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.syntax import nodes
from specbridge_pipeline.sql.syntax.parser import parse_statement

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
        core = SelectReader(self, self._schema, self._refusals, node.first, entries, outer, depth)
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
    ) -> tuple[list[SelectReader], list[_Part]]:
        """Read the SELECTs that are put together, each with whether it reads the whole again."""
        cores: list[SelectReader] = []
        parts: list[_Part] = []
        for operator, part in (("", node.first), *node.others):
            before = 0 if entry is None else entry.repeats
            if entry is not None and parts and entry.columns is None:
                entry.columns = self._named(entry, parts[0][2])
            core = SelectReader(self, self._schema, self._refusals, part, entries, outer, depth)
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
                collations_of(columns) if set(operators) != {"union_all"} else (),
            )
        begin = repeated[0]
        if repeated != list(range(begin, len(parts))):
            raise self._refusals.error("a recursion with parts in this order", node.at)
        kinds = set(operators[begin - 1 :])
        if len(kinds) > 1 or not kinds <= {"union", "union_all"}:
            raise self._refusals.error("a recursion by other than one kind of UNION", node.at)
        first = parts[0][1]
        if any(collations_of(columns)) and "union" in operators:
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
        cores: list[SelectReader],
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
        self, value: nodes.Expression, cores: list[SelectReader], parts: list[Columns]
    ) -> int | None:
        number = whole_number(value)
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
        core = SelectReader(
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
