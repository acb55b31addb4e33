"""The SELECTs that a query consists of, and what each of them reads.

Everything is read from the syntax tree; no schema is needed. A name in a FROM clause is a WITH
entry where one of that name is in sight, and a table otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.parsing import shorten


class StepKind(StrEnum):
    """Where in a statement a step stands."""

    MAIN = "main"
    """The statement's own query."""
    WITH = "with"
    """An entry of a WITH clause."""
    DERIVED = "derived"
    """A query in a FROM clause."""
    SUBQUERY = "subquery"
    """A query inside an expression: a scalar, IN (…) or EXISTS (…)."""
    BRANCH = "branch"
    """One side of a UNION, INTERSECT or EXCEPT."""


@dataclass(frozen=True, slots=True)
class StepSource:
    """One source of a FROM clause.

    Attributes:
        alias: The name by which the step calls it, in lower case.
        step: Index of the step that is read; None for a table, a view or a list of values.
        table: Name of the table in lower case; empty where a step or a list of values is read.
    """

    alias: str
    step: int | None
    table: str


@dataclass(frozen=True, slots=True)
class QueryStep:
    """One query inside a statement.

    Attributes:
        name: Name of its WITH entry, or alias of the derived table, as written; else empty.
        kind: Where it stands.
        query: Its tree, a part of the statement's tree and not a copy.
        columns: The names that its WITH entry or alias gives its outputs; empty where none.
        sources: What its FROM clause reads, in order; empty for a set operation.
        branches: Indices of the two sides of a set operation; empty for a SELECT.
        subqueries: Indices of the queries inside its expressions.
    """

    name: str
    kind: StepKind
    query: exp.Query
    columns: tuple[str, ...]
    sources: tuple[StepSource, ...]
    branches: tuple[int, ...]
    subqueries: tuple[int, ...]

    @property
    def reads(self) -> tuple[int, ...]:
        """Indices of the steps that it reads directly, ascending."""
        named = {source.step for source in self.sources if source.step is not None}
        return tuple(sorted(named | set(self.branches) | set(self.subqueries)))


@dataclass(frozen=True, slots=True)
class QuerySteps:
    """A statement taken apart.

    Attributes:
        steps: Its queries, each after those that it reads; the last one is the main query.
    """

    steps: tuple[QueryStep, ...]
    _places: Mapping[int, int] = field(repr=False, compare=False)

    @property
    def main(self) -> QueryStep:
        """The statement's own query."""
        return self.steps[-1]

    def index_of(self, query: exp.Expr) -> int:
        """Return the index of the step whose tree is a given node of the statement's tree."""
        return self._places[id(unwrapped(query))]


@dataclass(frozen=True, slots=True)
class NamedStep:
    """A WITH entry of the statement itself, or its main query, with all that stands inside.

    Attributes:
        name: The entry's name as written; empty for the main query.
        query: Its tree; the main query's without the WITH clause.
        columns: The names that the entry gives its outputs; empty where it gives none.
        reads: Names of the entries that it reads directly, in lower case.
    """

    name: str
    query: exp.Query
    columns: tuple[str, ...]
    reads: frozenset[str]


def split_steps(query: exp.Query, engine: Engine = Engine.SQLITE) -> QuerySteps:
    """Take a statement apart into its WITH entries, derived tables, subqueries and main query.

    Args:
        query: The tree of one statement, as `parse_query` returns it. It is not changed, and the
            result refers to its nodes.
        engine: The engine that it is for.

    Returns:
        The steps. WITH entries that nothing reads are among them.

    Raises:
        UnusableReferenceError: A WITH entry reads itself, directly or through another.
    """
    return _Splitter(query, engine).split()


def named_steps(query: exp.Query) -> tuple[NamedStep, ...]:
    """Return the entries of a statement's WITH clause and its main query, in the written order.

    Args:
        query: The tree of one statement; it is not changed.

    Returns:
        One step an entry; the last one, without a name, is the main query.
    """
    whole = query.copy()
    clause = whole.args.get("with_")
    whole.set("with_", None)
    entries = list(clause.expressions) if isinstance(clause, exp.With) else []
    names = frozenset(entry.alias.lower() for entry in entries)
    steps = [
        NamedStep(entry.alias, entry.this, _alias_columns(entry), _read_names(entry.this) & names)
        for entry in entries
    ]
    return (*steps, NamedStep("", whole, (), _read_names(whole) & names))


def unwrapped(query: exp.Expr) -> exp.Expr:
    """Return what stands inside the parentheses of a subquery."""
    while isinstance(query, exp.Subquery):
        query = query.this
    return query


def inner_queries(node: exp.Expr) -> Iterator[exp.Query]:
    """Yield the queries that stand inside an expression, not those inside these.

    Args:
        node: The expression; where it is a query itself, that one is yielded.
    """
    waiting = [node]
    while waiting:
        inner = unwrapped(waiting.pop())
        if isinstance(inner, exp.Select | exp.SetOperation):
            yield inner
        else:
            waiting += inner.iter_expressions(reverse=True)


def source_nodes(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield the nodes of a SELECT's FROM clause, in order, with nested joins laid open."""
    clause = select.args.get("from_")
    if isinstance(clause, exp.From):
        yield from _laid_open(clause.this)
    for join in select.args.get("joins") or ():
        yield from _laid_open(join.this)


def join_conditions(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield the ON conditions of a SELECT's joins, in order."""
    clause = select.args.get("from_")
    starts = [clause.this] if isinstance(clause, exp.From) else []
    for node in (select, *starts, *(join.this for join in select.args.get("joins") or ())):
        yield from _conditions(node, own=node is select)


@dataclass(slots=True)
class _Entry:
    cte: exp.CTE
    scope: dict[str, _Entry]
    index: int | None = None
    open: bool = False


class _Splitter:
    def __init__(self, query: exp.Query, engine: Engine) -> None:
        self._query = query
        self._engine = engine
        self._steps: list[QueryStep] = []
        self._places: dict[int, int] = {}

    def split(self) -> QuerySteps:
        self._add(self._query, "", StepKind.MAIN, (), {})
        return QuerySteps(tuple(self._steps), self._places)

    def _add(
        self,
        query: exp.Query,
        name: str,
        kind: StepKind,
        columns: tuple[str, ...],
        scope: dict[str, _Entry],
    ) -> int:
        scope = self._with_entries(query, scope)
        branches: tuple[int, ...] = ()
        sources: tuple[StepSource, ...] = ()
        if isinstance(query, exp.SetOperation):
            sides = [unwrapped(side) for side in (query.this, query.expression)]
            branches = tuple(
                self._add(side, "", StepKind.BRANCH, (), scope)
                for side in sides
                if isinstance(side, exp.Query)
            )
            parts = [query.args.get(part) for part in ("order", "limit", "offset")]
            expressions = [part for part in parts if part is not None]
        else:
            assert isinstance(query, exp.Select)
            sources = tuple(self._source(node, scope) for node in source_nodes(query))
            expressions = list(_own_expressions(query))
        subqueries = tuple(
            self._add(inner, "", StepKind.SUBQUERY, (), scope)
            for expression in expressions
            for inner in inner_queries(expression)
        )
        index = len(self._steps)
        self._steps.append(QueryStep(name, kind, query, columns, sources, branches, subqueries))
        self._places[id(query)] = index
        return index

    def _with_entries(self, query: exp.Query, scope: dict[str, _Entry]) -> dict[str, _Entry]:
        clause = query.args.get("with_")
        if not isinstance(clause, exp.With):
            return scope
        # Entries see each other whatever their order, as the engine has it.
        inner = dict(scope)
        entries = [_Entry(cte, inner) for cte in clause.expressions]
        inner.update({entry.cte.alias.lower(): entry for entry in entries})
        for entry in entries:
            self._index(entry)
        return inner

    def _index(self, entry: _Entry) -> int:
        if entry.open:
            raise UnusableReferenceError(
                f"the WITH entry '{entry.cte.alias}' reads itself",
                where=shorten(self._query.sql(rules_of(self._engine).dialect)),
                advice="recursive queries have no steps that can be counted; write it without",
            )
        if entry.index is None:
            entry.open = True
            body = unwrapped(entry.cte.this)
            if isinstance(body, exp.Values):
                body = exp.select("*").from_(exp.Subquery(this=body.copy()))
            assert isinstance(body, exp.Query)
            columns = _alias_columns(entry.cte)
            entry.index = self._add(body, entry.cte.alias, StepKind.WITH, columns, entry.scope)
            entry.open = False
        return entry.index

    def _source(self, node: exp.Expr, scope: dict[str, _Entry]) -> StepSource:
        if isinstance(node, exp.Table):
            alias, name = node.alias_or_name.lower(), node.name.lower()
            entry = None if node.args.get("db") is not None else scope.get(name)
            if entry is not None:
                return StepSource(alias, self._index(entry), "")
            return StepSource(alias, None, name)
        inner = unwrapped(node)
        if isinstance(inner, exp.Select | exp.SetOperation):
            columns = _alias_columns(node)
            index = self._add(inner, node.alias, StepKind.DERIVED, columns, scope)
            return StepSource(node.alias.lower(), index, "")
        return StepSource(node.alias_or_name.lower(), None, "")


def _own_expressions(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield every expression of a SELECT outside its WITH clause and its sources."""
    yield from select.expressions
    yield from join_conditions(select)
    for part in ("where", "group", "having", "order", "limit", "offset"):
        node = select.args.get(part)
        if node is not None:
            yield node
    yield from select.args.get("windows") or ()


def _laid_open(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield a source; of a join in parentheses, the sources that are joined."""
    if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table | exp.Subquery):
        yield from _laid_open(node.this)
    else:
        yield node
    for join in node.args.get("joins") or ():
        yield from _laid_open(join.this)


def _conditions(node: exp.Expr, *, own: bool = False) -> Iterator[exp.Expr]:
    if isinstance(node, exp.Select | exp.SetOperation) and not own:
        return
    if isinstance(node, exp.Subquery):
        yield from _conditions(node.this)
    for join in node.args.get("joins") or ():
        if not own:
            yield from _conditions(join.this)
        condition = join.args.get("on")
        if condition is not None:
            yield condition


def _alias_columns(node: exp.Expr) -> tuple[str, ...]:
    alias = node.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        return ()
    return tuple(column.name for column in alias.args.get("columns") or ())


def _read_names(query: exp.Query) -> frozenset[str]:
    """Return the names in lower case that a query reads and does not define itself."""
    return _free_names(query, frozenset())


def _free_names(node: exp.Expr, defined: frozenset[str]) -> frozenset[str]:
    if isinstance(node, exp.Table) and node.args.get("db") is None:
        own = frozenset({node.name.lower()}) - defined
    else:
        own = frozenset()
    clause = node.args.get("with_")
    if isinstance(clause, exp.With):
        defined |= {entry.alias.lower() for entry in clause.expressions}
    return own.union(*(_free_names(child, defined) for child in node.iter_expressions()))
