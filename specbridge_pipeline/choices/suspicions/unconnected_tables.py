"""Tables that no condition connects, so that every row of one meets every row of another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import conjunction
from specbridge_pipeline.choices.suspicions.looking import (
    Look,
    add_condition,
    conditions_of,
    counted,
    joins_of,
    listed,
    source_name,
)
from specbridge_pipeline.choices.suspicions.suspicion import (
    BOTH_ENGINES,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.sql.column_origins import Scope, Source
from specbridge_pipeline.sql.join_repeats import is_outer, row_conditions


def _find(look: Look) -> Iterator[Suspicion]:
    if not look.has_data:
        return
    found = [each for scope in look.query.scopes if (each := _product(look, scope)) is not None]
    edited = _connected(look, found)
    for each in found:
        meant = "Only rows that belong together are combined."
        if each.connection is not None:
            meant = f"Rows are combined where {look.text(each.connection)}."
        yield Suspicion(
            SuspicionKind.UNCONNECTED_TABLES,
            False,
            f"Every row of {each.names[0]} is combined with every row of {each.names[1]}.",
            meant,
            each.evidence,
            edited,
            each.scope.select.args["joins"][0],
        )


@dataclass(frozen=True, slots=True)
class _Product:
    """A SELECT that combines every row of some tables with every row of others.

    Attributes:
        scope: The SELECT.
        names: The names of the tables on each side.
        connection: The condition that the schema's references give; None where they give none.
        evidence: How many rows there are.
    """

    scope: Scope
    names: list[str]
    connection: exp.Expr | None
    evidence: str


def _connected(look: Look, found: list[_Product]) -> str | None:
    """Return the query with all its tables connected; None where one has no connection."""
    if not found or any(each.connection is None for each in found):
        return None
    tree, selects = look.copied(*(each.scope.select for each in found))
    for select, each in zip(selects, found, strict=True):
        assert isinstance(select, exp.Select)
        assert each.connection is not None
        add_condition(select, each.connection)
    return look.text(tree)


def _product(look: Look, scope: Scope) -> _Product | None:
    joins = joins_of(scope)
    if not joins or any(_is_made(source) for source in scope.sources):
        return None
    parts = _components(look, scope, joins)
    if len(parts) < 2:
        return None
    sizes = [_rows_of(look, scope, part) for part in parts]
    if None in sizes or sum(size > 1 for size in sizes if size is not None) < 2:
        return None
    names = [listed(source_name(scope.sources[at]) for at in sorted(part)) for part in parts]
    product = look.some_rows(scope, [exp.Literal.number(1)])
    rows = look.count(product) if product is not None else None
    given = f" give {counted(rows, 'joined row')}" if rows is not None else ""
    evidence = f"{' × '.join(f'{size:,}' for size in sizes)} rows{given}."
    connection = _reference_between(scope, parts) if len(parts) == 2 else None
    return _Product(scope, names, connection, evidence)


def _is_made(source: Source) -> bool:
    """Say whether a source is a call or the like, which may be connected by its arguments."""
    return source.table is None and source.query is None


def _components(look: Look, scope: Scope, joins: list[tuple[exp.Expr, Source]]) -> list[set[int]]:
    parts: list[set[int]] = [{source.position} for source in scope.sources]
    links: list[set[int]] = []
    outer_names: dict[str, set[int]] = {}
    conditions = [*row_conditions(scope), *conditions_of(scope)]
    conditions += [join.args["on"] for join, _ in joins if join.args.get("on") is not None]
    for condition in conditions:
        named = look.positions(scope, [condition])
        links.append(named)
        for node in condition.find_all(exp.Column):
            owner = look.column(node)
            if owner is not None and owner[0] is not scope and named:
                outer_names.setdefault(look.text(node).lower(), set()).update(named)
    links += outer_names.values()
    for join, source in joins:
        if join.args.get("using") or join.args.get("method"):
            links.append({source.position, 0})
    for link in links:
        touched = [part for part in parts if part & link]
        if len(touched) > 1:
            parts = [part for part in parts if not part & link]
            parts.append(set().union(*touched))
    return sorted(parts, key=min)


def _rows_of(look: Look, scope: Scope, part: set[int]) -> int | None:
    """Count the rows of some sources of a SELECT under their own conditions."""
    body = look.some_rows(scope, [exp.Literal.number(1)])
    joins = joins_of(scope)
    if body is None or joins is None:
        return None
    copies = [body.args["from_"].this, *(join.this for join in body.args["joins"])]
    conditions: list[exp.Expr] = [
        each for each in row_conditions(scope) if look.positions(scope, [each]) <= part
    ]
    if any(is_outer(join) for join, _ in joins) and len(part) > 1:
        return 2
    first, *rest = (copies[at].copy() for at in sorted(part))
    body.set("from_", exp.From(this=first))
    body.set("joins", [exp.Join(this=each) for each in rest])
    whole = conjunction(conditions)
    body.set("where", None if whole is None else exp.Where(this=whole))
    return look.count(body)


def _reference_between(scope: Scope, parts: list[set[int]]) -> exp.Expr | None:
    """Return the one declared reference between the tables of two parts as a condition."""
    found: list[exp.Expr] = []
    for one, other in ((parts[0], parts[1]), (parts[1], parts[0])):
        for at in one:
            for to in other:
                found += _references(scope.sources[at], scope.sources[to])
    return found[0] if len(found) == 1 else None


def _references(source: Source, target: Source) -> Iterator[exp.Expr]:
    if source.table is None or target.table is None:
        return
    for key in source.table.foreign_keys:
        if key.referenced_table.lower() != target.table.name.lower():
            continue
        pairs = list(zip(key.columns, key.referenced_columns, strict=False))
        conditions = [
            exp.EQ(this=exp.column(own, table=source.name), expression=exp.column(to, target.name))
            for own, to in pairs
        ]
        whole = conjunction(conditions)
        if whole is not None:
            yield whole


DETECTOR = Detector(SuspicionKind.UNCONNECTED_TABLES, BOTH_ENGINES, _find)
