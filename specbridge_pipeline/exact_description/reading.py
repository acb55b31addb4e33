"""From SQL to its structure: every SELECT a step, names bound as the engine binds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UndescribableQueryError
from specbridge_pipeline.exact_description.names import (
    Entries,
    Entry,
    NamedSource,
    Scope,
    table_of,
    undescribable,
)
from specbridge_pipeline.exact_description.structure import (
    Arithmetic,
    ColumnValue,
    Condition,
    Expression,
    Join,
    JoinKind,
    Literal,
    OrderKey,
    Output,
    Rank,
    Step,
    StepSource,
    StepValue,
    Structure,
    TableSource,
    compared,
)
from specbridge_pipeline.exact_description.values import (
    ValueReader,
    bare,
    construct,
    holds_aggregate_or_rank,
)
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.parsing import parse_query

_SELECT_PARTS = (
    "expressions",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "offset",
    "distinct",
    "with_",
)
_PARTS_BEFORE_AN_OPERAND = frozenset(
    {
        TokenType.L_PAREN,
        TokenType.COMMA,
        TokenType.SELECT,
        TokenType.DISTINCT,
        TokenType.WHERE,
        TokenType.ON,
        TokenType.HAVING,
        TokenType.GROUP_BY,
        TokenType.ORDER_BY,
        TokenType.PARTITION_BY,
        TokenType.AND,
        TokenType.OR,
        TokenType.NOT,
        TokenType.BETWEEN,
        TokenType.PLUS,
        TokenType.DASH,
        TokenType.STAR,
        TokenType.SLASH,
        TokenType.EQ,
        TokenType.NEQ,
        TokenType.LT,
        TokenType.LTE,
        TokenType.GT,
        TokenType.GTE,
        TokenType.IS,
    }
)


def read_structure(sql: str, schema: Schema) -> Structure:
    """Read the structure of a query.

    WITH entries that nothing reads are no part of it. Steps come in the order in which they are
    first read, from the query's own FROM clause inwards.

    Args:
        sql: One statement, for the engine of the schema.
        schema: The tables that it can read.

    Returns:
        The structure, names spelled as the schema declares them.

    Raises:
        UndescribableQueryError: It holds a construct without words, or a name that stands for
            nothing; the error names both the construct and its place.
        UnusableReferenceError: It cannot be parsed, or is not one query.
    """
    tree = parse_query(sql, schema.engine)
    _refuse_signs(sql, schema.engine)
    try:
        return _Reader(schema).read(tree)
    except RecursionError as error:
        raise undescribable("the query is nested too deeply", "the query") from error


def _refuse_signs(sql: str, engine: Engine) -> None:
    """Refuse a plus sign before a single value: the parser drops it, the engine does not."""
    try:
        tokens = sqlglot.tokenize(sql, read=rules_of(engine).dialect)
    except SqlglotError:  # pragma: no cover - what was parsed can be taken into tokens
        return
    for before, token in pairwise(tokens):
        if token.token_type is TokenType.PLUS and before.token_type in _PARTS_BEFORE_AN_OPERAND:
            raise undescribable(
                "a plus sign before a value cannot be described", f"line {token.line}"
            )


class _Reader:
    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._undescribable = partial(undescribable, engine=schema.engine)
        self._steps: list[Step] = []
        self._subqueries: dict[int, int] = {}

    def read(self, tree: exp.Expr) -> Structure:
        self._query(tree, Entries(), None, "", "the query's own SELECT")
        return Structure(tuple(self._steps))

    def _query(
        self, tree: exp.Expr, entries: Entries, outer: Scope | None, name: str, place: str
    ) -> int:
        if not isinstance(tree, exp.Select):
            raise self._undescribable(f"{construct(tree)} cannot be described", place, tree)
        for part, found in tree.args.items():
            if part not in _SELECT_PARTS and found:
                raise self._undescribable(
                    f"{part.strip('_').upper()} of a SELECT cannot be described", place, tree
                )
        scope = Scope(place, self._with(tree, entries, place), outer, self._schema.engine)
        step = _StepReader(self, scope, tree, self._schema, self._steps).read(name)
        self._steps.append(step)
        return len(self._steps) - 1

    def subquery(self, node: exp.Expr, scope: Scope) -> int:
        """Read a subquery that is used as a value."""
        inner = node.this
        if not isinstance(node, exp.Subquery) or set(_parts(node)) > {"this"}:
            raise self._undescribable(f"{construct(node)} cannot be described", scope.place, node)
        if id(node) not in self._subqueries:
            place = f"a subquery in {scope.place}"
            self._subqueries[id(node)] = self._query(inner, scope.entries, scope, "", place)
        return self._subqueries[id(node)]

    def records(self, node: exp.Expr, scope: Scope) -> Step:
        """Read the SELECT of an IN: rows of one table that conditions pick, and no more."""
        read = _Reader(self._schema)
        place = f"a subquery in {scope.place}"
        read._query(node, scope.entries, None, "", place)
        (*before, step) = read._steps
        plain = (
            not before
            and len(step.sources) == len(step.outputs) == 1
            and isinstance(step.sources[0], TableSource)
            and isinstance(step.outputs[0].value, ColumnValue)
            and not (step.aggregates or step.distinct or step.limit is not None)
        )
        if not plain:
            raise self._undescribable("IN with such a subquery cannot be described", place, node)
        return step

    def source(self, node: exp.Expr, scope: Scope) -> NamedSource:
        """Read an item of a FROM clause."""
        place = scope.place
        if isinstance(node, exp.Subquery):
            for part in _parts(node):
                if part not in ("this", "alias"):
                    raise self._undescribable(
                        f"{part.strip('_').upper()} of a derived table cannot be described",
                        place,
                        node,
                    )
            if isinstance(node.this, exp.Values):
                raise self._undescribable("VALUES cannot be described", place, node)
            if not isinstance(node.this, exp.Query):
                raise self._undescribable("a join in parentheses cannot be described", place, node)
            inside = f"the derived table {node.alias}".strip() + f" in {place}"
            step = self._query(node.this, scope.entries, None, "", inside)
            return self._step_source(step, node.alias, _column_names(node))
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            raise self._undescribable(
                f"{construct(node.this if isinstance(node, exp.Table) else node)} as a table "
                "cannot be described",
                place,
                node,
            )
        for part in _parts(node):
            if part not in ("this", "alias", "indexed") or _column_names(node):
                raise self._undescribable(
                    f"{part.strip('_').upper()} of a table cannot be described", place, node
                )
        entry = scope.entries.find(node.name)
        if entry is not None:
            return self._step_source(self._entry(entry), node.alias_or_name, ())
        table = table_of(self._schema, node.name)
        if table is None:
            raise self._undescribable(
                f"there is no table or step {node.name}",
                place,
                node,
                advice=f"there are: {', '.join(each.name for each in self._schema.tables)}",
            )
        columns = tuple(column.name for column in table.columns)
        return NamedSource(node.alias_or_name.lower(), TableSource(table.name), columns, table)

    def _step_source(self, step: int, alias: str, columns: tuple[str, ...]) -> NamedSource:
        names = tuple(output.name for output in self._steps[step].outputs)
        return NamedSource(alias.lower(), StepSource(step), columns or names, None)

    def _with(self, tree: exp.Select, outer: Entries, place: str) -> Entries:
        clause = tree.args.get("with_")
        if clause is None:
            return Entries(outer=outer)
        entries = Entries({}, outer)
        for entry in clause.expressions:
            for part in _parts(entry):
                # Whether a step is kept in memory changes no result.
                if part not in ("this", "alias", "materialized"):
                    raise self._undescribable(f"{part.upper()} of a WITH entry", place, entry)
            if entry.alias.lower() in entries.own:
                raise self._undescribable(f"there are two WITH entries {entry.alias}", place)
            entries.own[entry.alias.lower()] = Entry(
                entry.alias, entry.this, _column_names(entry), entries
            )
        return entries

    def _entry(self, entry: Entry) -> int:
        place = f"the WITH entry {entry.name}"
        if entry.open:
            raise self._undescribable("a step that reads itself cannot be described", place)
        if entry.step is None:
            entry.open = True
            entry.step = self._query(entry.query, entry.visible, None, entry.name, place)
            entry.open = False
            if entry.columns:
                entry.step = self._renamed(entry, place)
        return entry.step

    def _renamed(self, entry: Entry, place: str) -> int:
        step = self._steps[-1]
        if len(step.outputs) != len(entry.columns):
            raise self._undescribable("the WITH entry names another number of columns", place)
        outputs = tuple(
            Output(name, output.value)
            for name, output in zip(entry.columns, step.outputs, strict=True)
        )
        self._steps[-1] = replace(step, outputs=outputs)
        return len(self._steps) - 1


class _StepReader:
    """Reads one SELECT."""

    def __init__(
        self, reader: _Reader, scope: Scope, tree: exp.Select, schema: Schema, steps: list[Step]
    ) -> None:
        self._reader = reader
        self._scope = scope
        self._tree = tree
        self._values = ValueReader(scope, schema, steps, reader.subquery, reader.records)

    def read(self, name: str) -> Step:
        joins = self._sources()
        conditions: tuple[Condition, ...] = ()
        where = self._tree.args.get("where")
        if where is not None:
            conditions = self._values.conditions(where.this, aggregates=False, names=self._output)
        keys = self._keys()
        outputs = self._outputs()
        group_conditions: tuple[Condition, ...] = ()
        having = self._tree.args.get("having")
        if having is not None:
            group_conditions = self._values.conditions(
                having.this, aggregates=True, names=self._output
            )
        order = self._order(outputs)
        limit, offset = self._limit()
        step = Step(
            name=name,
            sources=tuple(each.source for each in self._scope.sources),
            joins=joins,
            conditions=conditions,
            keys=keys,
            outputs=outputs,
            group_conditions=group_conditions,
            distinct=self._distinct(),
            order=order,
            limit=limit,
            offset=offset,
        )
        self._check(step)
        return step

    def _sources(self) -> tuple[Join, ...]:
        clause = self._tree.args.get("from_")
        if clause is None:
            return ()
        items = self._tree.args.get("joins") or []
        for node in (clause.this, *(each.this for each in items)):
            source = self._reader.source(node, self._scope)
            if source.name and any(source.name == each.name for each in self._scope.sources):
                raise self._error(f"two sources have the name {source.name}", node)
            self._scope.sources.append(source)
        return tuple(self._join(position, each) for position, each in enumerate(items, start=1))

    def _join(self, position: int, node: exp.Join) -> Join:
        for part in _parts(node):
            if part not in ("this", "on", "side", "kind"):
                raise self._error(f"{_written(node, part)} in a join cannot be described", node)
        side, kind = str(node.side or "").upper(), str(node.kind or "").upper()
        if side not in ("", "LEFT") or kind not in ("", "INNER", "OUTER", "CROSS"):
            raise self._error(f"a join of the kind {side or kind} cannot be described", node)
        condition = node.args.get("on")
        if condition is None:
            if side == "LEFT":
                raise self._error("a LEFT JOIN without ON cannot be described", node)
            return Join(JoinKind.CROSS, position, ())
        on = self._values.conditions(condition, aggregates=False, names=None)
        if any(source > position for each in on for source in _sources_in(each)):
            raise self._error("a join condition uses a table that is joined later", node)
        return Join(JoinKind.LEFT if side == "LEFT" else JoinKind.INNER, position, on)

    def _keys(self) -> tuple[Expression, ...]:
        group = self._tree.args.get("group")
        if group is None:
            return ()
        for part in _parts(group):
            if part != "expressions":
                raise self._error(f"{part.upper()} in GROUP BY cannot be described", group)
        keys: list[Expression] = []
        for node in group.expressions:
            core = bare(node)
            found = self._by_position(core)
            if found is None:
                found = self._values.value(core, aggregates=False, names=self._output)
            if isinstance(found, Literal) or holds_aggregate_or_rank(found):
                raise self._error("a group by this cannot be described", node)
            if found not in keys:
                keys.append(found)
        return tuple(keys)

    def _outputs(self) -> tuple[Output, ...]:
        outputs: list[Output] = []
        for item in self._tree.expressions:
            if isinstance(item, exp.Star) or (
                isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
            ):
                outputs += self._star(item)
                continue
            value = self._item(item)
            outputs.append(Output(self._name(item, value), value))
        if not outputs:
            raise self._error("a SELECT without outputs cannot be described", self._tree)
        return tuple(outputs)

    def _item(self, item: exp.Expr) -> Expression:
        return self._values.value(item.unalias(), aggregates=True, ranks=True)

    def _name(self, item: exp.Expr, value: Expression) -> str:
        if isinstance(item, exp.Alias):
            return str(item.alias)
        # What the engine calls an unnamed expression is nothing to rely on.
        if not isinstance(bare(item), exp.Column):
            return ""
        if isinstance(value, ColumnValue):
            return value.column
        assert isinstance(value, StepValue)
        assert value.source is not None
        return self._scope.sources[value.source].columns[value.output]

    def _star(self, item: exp.Expr) -> Iterator[Output]:
        if any(_parts(each) for each in (item, item.this) if isinstance(each, exp.Star)):
            raise self._error("a star with exceptions cannot be described", item)
        wanted = item.table.lower() if isinstance(item, exp.Column) else None
        found = [
            (position, source)
            for position, source in enumerate(self._scope.sources)
            if wanted is None or source.name == wanted
        ]
        if not found:
            raise self._error("the star stands for no columns", item)
        for position, source in found:
            for column, name in enumerate(source.columns):
                yield Output(name, source.value(position, column))

    def _order(self, outputs: tuple[Output, ...]) -> tuple[OrderKey, ...]:
        order = self._tree.args.get("order")
        if order is None:
            return ()

        def key(core: exp.Expr) -> Expression | None:
            if isinstance(core, exp.Column) and not core.table:
                # A bare name is an output's name first, and a column only if there is none.
                return self._output(core.name)
            return self._by_position(core)

        return self._values.order(order, aggregates=True, key=key, names=self._output)

    def _by_position(self, core: exp.Expr) -> Expression | None:
        if not isinstance(core, exp.Literal) or core.is_string or not core.name.isdigit():
            return None
        outputs = self._outputs()
        position = int(core.name)
        if not 1 <= position <= len(outputs):
            raise self._error("the number is no position of an output", core)
        return outputs[position - 1].value

    def _output(self, name: str) -> Expression | None:
        """Return the value of the first output that is given a name with AS."""
        for item in self._tree.expressions:
            if isinstance(item, exp.Alias) and item.alias.lower() == name.lower():
                return self._item(item)
        return None

    def _limit(self) -> tuple[int | None, int]:
        limit = self._whole_number("limit")
        offset = self._whole_number("offset")
        if not rules_of(self._scope.engine).negative_limits and min(limit or 0, offset or 0) < 0:
            raise self._error("a negative LIMIT or OFFSET gives no result", self._tree)
        # Else the engine reads a negative limit as none, and a negative offset as zero.
        return None if limit is None or limit < 0 else limit, max(offset or 0, 0)

    def _whole_number(self, part: str) -> int | None:
        node = self._tree.args.get(part)
        if node is None:
            return None
        if set(_parts(node)) > {"expression"}:
            raise self._error(f"this {part.upper()} cannot be described", node)
        core = bare(node.expression)
        sign = 1
        while isinstance(core, exp.Neg):
            sign, core = -sign, bare(core.this)
        if not isinstance(core, exp.Literal) or core.is_string or not core.name.isdigit():
            raise self._error(f"a {part.upper()} that is no whole number", node)
        return sign * int(core.name)

    def _distinct(self) -> bool:
        distinct = self._tree.args.get("distinct")
        if distinct is not None and _parts(distinct):
            raise self._error("DISTINCT ON cannot be described", distinct)
        return distinct is not None

    def _check(self, step: Step) -> None:
        """Refuse what leaves a result to chance."""
        values = [output.value for output in step.outputs]
        if step.distinct:
            for key in step.order:
                if key.value not in values:
                    raise self._error(
                        "an order of different rows by a value that is not returned",
                        self._tree.args["order"],
                    )
        if not step.aggregates:
            if step.group_conditions:
                raise self._error("HAVING without groups", self._tree.args["having"])
            return
        for value in (
            *values,
            *(key.value for key in step.order),
            *(side for each in step.group_conditions for side in compared(each)),
        ):
            for column in self._ungrouped(step, value):
                shown = column.column if isinstance(column, ColumnValue) else "a value"
                if isinstance(column, StepValue) and column.source is not None:
                    shown = self._scope.sources[column.source].columns[column.output]
                raise self._error(
                    f"{shown} is neither grouped by nor aggregated, so that any row of the group "
                    "could give its value",
                    self._tree,
                )

    def _ungrouped(self, step: Step, value: Expression) -> Iterator[Expression]:
        if value in step.keys:
            return
        if isinstance(value, ColumnValue):
            if not self._follows_from_keys(step, value):
                yield value
        elif isinstance(value, StepValue):
            if value.source is not None:
                yield value
        elif isinstance(value, Arithmetic):
            yield from self._ungrouped(step, value.left)
            yield from self._ungrouped(step, value.right)
        elif isinstance(value, Rank):
            for each in (*(key.value for key in value.order), *value.partition):
                yield from self._ungrouped(step, each)

    def _follows_from_keys(self, step: Step, value: ColumnValue) -> bool:
        """Say whether all rows of a group have one value, as their table's key tells."""
        table = self._scope.sources[value.source].table
        if table is None or not table.primary_key:
            return False
        if not rules_of(self._scope.engine).columns_follow_keys:
            return False
        for name in table.primary_key:
            column = ColumnValue(value.source, table.name, name)
            declared = self._scope.declared(column)
            if declared is None or column not in step.keys:
                return False
            integer_key = len(table.primary_key) == 1 and declared.declared_type.upper() == (
                "INTEGER"
            )
            # Other primary keys may hold missing values in SQLite, more than once.
            if not declared.not_null and not integer_key:
                return False
        return True

    def _error(self, problem: str, node: exp.Expr) -> UndescribableQueryError:
        return undescribable(problem, self._scope.place, node, engine=self._scope.engine)


def _parts(node: exp.Expr) -> list[str]:
    return [name for name, part in node.args.items() if part]


def _written(node: exp.Join, part: str) -> str:
    return str(node.args[part]).upper() if part == "method" else part.upper()


def _column_names(node: exp.Expr) -> tuple[str, ...]:
    alias = node.args.get("alias")
    return tuple(each.name for each in alias.columns) if isinstance(alias, exp.TableAlias) else ()


def _sources_in(condition: Condition) -> Iterator[int]:
    waiting = list(compared(condition))
    while waiting:
        value = waiting.pop()
        if isinstance(value, Arithmetic):
            waiting += [value.left, value.right]
        elif isinstance(value, ColumnValue | StepValue) and value.source is not None:
            yield value.source
