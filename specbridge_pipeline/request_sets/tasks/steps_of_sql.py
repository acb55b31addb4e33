"""The outline of a query's steps, read from the tree of its SQL."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from specbridge_pipeline.databases.schema import Schema
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.request_sets.tasks.step_outlines import (
    ROWS,
    Outline,
    References,
    StepOutline,
    value_of,
)
from specbridge_pipeline.sql.parsing import parse_query, shorten

_FUNCTIONS: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Sum, "sum"),
    (exp.Avg, "average"),
    (exp.Min, "smallest"),
    (exp.Max, "largest"),
)


def outline_of_sql(sql: str, schema: Schema) -> Outline:
    """Return what each WITH entry and the query after them read and give, in their order.

    Args:
        sql: One WITH statement or SELECT, without queries inside its SELECTs.
        schema: The tables that it can read.

    Raises:
        UnusableReferenceError: It is not of this form, or a name in it stands for nothing.
    """
    query = parse_query(sql, schema.engine)
    entries = query.args.get("with_") or query.args.get("with")
    named = entries.expressions if entries else []
    known: dict[str, tuple[int, tuple[str, ...]]] = {}
    outlines = []
    for position, entry in enumerate([*named, query]):
        name = entry.alias.lower() if isinstance(entry, exp.CTE) else ""
        select = entry.this if isinstance(entry, exp.CTE) else entry
        if not isinstance(select, exp.Select) or (name and list(select.find_all(exp.Subquery))):
            raise UnusableReferenceError("a step is no plain SELECT", where=shorten(sql))
        outlines.append(_SelectReader(select, known, schema, sql).outline())
        given = entry.args["alias"].columns if isinstance(entry, exp.CTE) else ()
        columns = [each.name for each in given] or [each.alias_or_name for each in select.selects]
        known[name] = (position, tuple(column.lower() for column in columns))
    return tuple(outlines)


class _SelectReader:
    def __init__(
        self,
        select: exp.Select,
        known: dict[str, tuple[int, tuple[str, ...]]],
        schema: Schema,
        sql: str,
    ) -> None:
        self._select = select
        self._known = known
        self._schema = schema
        self._sql = sql
        self._sources: dict[str, tuple[int, tuple[str, ...]] | tuple[str, frozenset[str]]] = {}
        self._tables: list[str] = []
        self._steps: list[int] = []
        start = select.args.get("from_") or select.args.get("from")
        joins: list[exp.Join] = select.args.get("joins") or []
        for node in ([start.this] if start else []) + [join.this for join in joins]:
            self._add(node)
        self._on = [join.args["on"] for join in joins if join.args.get("on") is not None]

    def outline(self) -> StepOutline:
        select = self._select
        outputs = tuple(self._of([each.unalias()]) for each in select.selects)
        conditions = [
            part.this for name in ("where", "having") if (part := select.args.get(name)) is not None
        ]
        group, order = select.args.get("group"), select.args.get("order")
        names = [each.alias_or_name.lower() for each in select.selects]
        ordered: list[str] = []
        for key in order.expressions if order else ():
            # A bare name in ORDER BY is that of an output first.
            name = key.this.name.lower() if isinstance(key.this, exp.Column) else ""
            if name in names and not key.this.table:
                ordered += outputs[names.index(name)]
            elif isinstance(key.this, exp.Literal) and key.this.is_int:
                ordered += outputs[int(key.this.name) - 1]
            else:
                ordered += self._of([key.this])
        return StepOutline(
            tuple(sorted(self._tables)),
            tuple(self._steps),
            outputs,
            directed=tuple(bool(list(each.find_all(exp.Div, exp.Sub))) for each in select.selects),
            keys=self._of(group.expressions if group else ()),
            kept=self._of(conditions),
            matched=self._of(self._on),
            order=tuple(ordered),
        )

    def _add(self, node: exp.Expr) -> None:
        if not isinstance(node, exp.Table):
            raise UnusableReferenceError("a step reads no plain table", where=shorten(self._sql))
        name = node.name.lower()
        if name in self._known:
            self._sources[node.alias_or_name.lower()] = self._known[name]
            self._steps.append(self._known[name][0])
            return
        for table in self._schema.tables:
            if table.name.lower() == name:
                columns = frozenset(column.name.lower() for column in table.columns)
                self._sources[node.alias_or_name.lower()] = (name, columns)
                self._tables.append(name)
                return
        raise UnusableReferenceError(f"there is no table '{node.name}'", where=shorten(self._sql))

    def _of(self, nodes: Iterable[exp.Expr]) -> References:
        return tuple(
            said
            for node in nodes
            for part in node.walk(bfs=False)
            if (said := self._said_of(part)) is not None
        )

    def _said_of(self, part: exp.Expr) -> str | None:
        """Return what a text must say of a part of an expression; None where only its parts."""
        if isinstance(part, exp.Column):
            return self._reference(part)
        if isinstance(part, exp.Star):
            return ROWS
        if isinstance(part, exp.Count) and not isinstance(part.this, exp.Star):
            return "different values" if isinstance(part.this, exp.Distinct) else "values"
        return next((word for kind, word in _FUNCTIONS if isinstance(part, kind)), None)

    def _reference(self, column: exp.Column) -> str:
        name, owner = column.name.lower(), column.table.lower()
        for alias, source in self._sources.items():
            if owner and owner != alias:
                continue
            if name not in source[1]:
                continue
            if isinstance(source[1], frozenset):
                return f"{source[0]}.{name}"
            return value_of(int(source[0]), source[1].index(name))
        raise UnusableReferenceError(f"nothing is called '{column.name}'", where=shorten(self._sql))
