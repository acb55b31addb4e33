"""An aggregate over rows that a join repeats and contributes nothing else to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.shapes import group_columns
from specbridge_pipeline.choices.suspicions.each_row_once import each_row_once, repeating_sources
from specbridge_pipeline.choices.suspicions.looking import (
    MARK,
    Look,
    counted,
    joins_of,
    listed,
    reduce_to_rows,
    source_name,
)
from specbridge_pipeline.choices.suspicions.suspicion import (
    BOTH_ENGINES,
    Detector,
    Suspicion,
    SuspicionKind,
)
from specbridge_pipeline.databases.results import Cell, Row
from specbridge_pipeline.sql.aggregates import aggregates_of
from specbridge_pipeline.sql.column_origins import Scope, Source
from specbridge_pipeline.sql.join_repeats import determined_by, fixed_columns, is_outer

_REPEATED = (exp.Sum, exp.Avg, exp.Count)
_SIGNIFICANT = 9
"""Digits by which two sums are told apart: adding in another order moves the last ones."""


def _find(look: Look) -> Iterator[Suspicion]:
    if not look.has_data:
        return
    for scope in look.query.scopes:
        calls = aggregates_of(scope.select)
        things = any(isinstance(each.this, exp.Distinct) for each in calls)
        calls = [each for each in calls if _is_repeated(each, things)]
        if not calls:
            continue
        divided = repeating_sources(look, scope)
        if divided is None:
            yield from _repeated_by_another(look, scope, calls)
            continue
        shown, joined = divided
        for call in calls:
            if not _joins_once(look, scope, call, shown):
                continue
            suspicion = _suspicion(look, scope, call, shown, joined)
            if suspicion is not None:
                yield suspicion
                break


def _is_repeated(call: exp.Expr, things: bool) -> bool:
    """Say whether an aggregate changes where rows are repeated.

    A sum of ones counts joined rows as COUNT(*) does, unless things are counted beside it.
    """
    if not isinstance(call, _REPEATED) or isinstance(call.this, exp.Distinct):
        return False
    return call.find(exp.Column) is not None and (things or not _is_count_of_ones(call.this))


def _is_count_of_ones(value: exp.Expr) -> bool:
    if isinstance(value, exp.Case):
        results = [each.args.get("true") for each in value.args["ifs"]]
        results.append(value.args.get("default"))
    elif isinstance(value, exp.If):
        results = [value.args.get("true"), value.args.get("false")]
    else:
        return isinstance(value, exp.Predicate)
    return all(each is None or isinstance(each, exp.Literal | exp.Null) for each in results)


def _joins_once(look: Look, scope: Scope, call: exp.Expr, shown: set[int]) -> bool:
    """Say whether the sources that are shown give each row once that an aggregate takes."""
    known: set[int] = set()
    for at in look.positions(scope, [call]):
        known |= determined_by(scope, scope.sources[at], fixed_columns(scope))
    return shown <= known


def _suspicion(
    look: Look, scope: Scope, call: exp.Expr, shown: set[int], joined: set[int]
) -> Suspicion | None:
    rewritten = each_row_once(look, scope, shown)
    if rewritten is None:
        return None
    tree, select, _ = rewritten
    original, edited = look.text(look.query.tree), look.text(tree)
    before, after = look.rows(original), look.rows(edited)
    if before is None or after is None or _rounded(before) == _rounded(after):
        return None
    evidence = ""
    if isinstance(call, exp.Count) and _counts_single_rows(look, scope, select):
        return None
    rows, alone = look.some_rows(scope, [exp.Literal.number(1)]), look.standalone(scope)
    if rows is not None and alone is not None:
        once = select.copy()
        once.set("with_", alone.args.get("with_"))
        reduce_to_rows(once, [exp.Literal.number(1)])
        joined_rows, single = look.count(rows), look.count(once)
        if joined_rows is not None and single is not None:
            evidence = f"{counted(joined_rows, 'joined row')} for {counted(single, 'row')}."
    own = look.positions(scope, [call])
    names = [
        listed(source_name(scope.sources[at]) for at in sorted(part)) for part in (own, joined)
    ]
    asks = any(not is_outer(join) for join in scope.select.args.get("joins") or ())
    where = f", where there is a matching row in {names[1]}" if asks else ""
    name = look.text(call)
    return Suspicion(
        SuspicionKind.REPEATED_ROWS,
        any(_links(scope.sources[at], scope, own) for at in joined),
        f"{name} takes a row of {names[0]} as often as it has matching rows in {names[1]}.",
        f"{name} takes each row of {names[0]} once{where}.",
        evidence,
        edited,
        call,
    )


def _counts_single_rows(look: Look, scope: Scope, once: exp.Select) -> bool:
    """Say whether there is one row a group when each is taken once: nobody counts to one."""
    body, alone = once.copy(), look.standalone(scope)
    if alone is None:
        return False
    body.set("with_", alone.args.get("with_"))
    for name in ("having", "order", "limit", "offset", "distinct"):
        body.set(name, None)
    group = body.args.get("group")
    body.set("expressions", [exp.alias_(exp.Count(this=exp.Star()), MARK)])
    if group is not None:
        body.set("group", exp.Group(expressions=[each.copy() for each in group_columns(scope)]))
    found = look.numbers(f"SELECT MAX({MARK}) FROM ({look.text(body)}) AS specbridge_groups")
    return found is not None and found[0] <= 1


def _repeated_by_another(look: Look, scope: Scope, calls: list[exp.Expr]) -> Iterator[Suspicion]:
    """Find sums over rows that are repeated by rows over which another aggregate goes.

    No edit of one place mends it: each aggregate wants a step of its own before they are joined.
    """
    joins = joins_of(scope)
    if joins is None or scope.select.args.get("group") is None:
        return
    for call in calls:
        own = look.positions(scope, [call])
        if isinstance(call, exp.Count) or len(own) != 1:
            continue
        source = scope.sources[next(iter(own))]
        others = [each for each in calls if look.positions(scope, [each]) - own]
        known = determined_by(scope, source, fixed_columns(scope))
        repeating = look.positions(scope, others) - known
        keys = group_columns(scope)
        if not repeating or repeating & look.positions(scope, keys) or source.table is None:
            continue
        key = [exp.column(name, table=source.name) for name in source.table.primary_key]
        rows = look.some_rows(
            scope, [exp.alias_(each, f"part_{at}") for at, each in enumerate((*keys, *key))]
        )
        if rows is None or not key:
            continue
        once = rows.copy().distinct()
        joined_rows, single = look.count(rows), look.count(once)
        if joined_rows is None or single is None or joined_rows == single:
            continue
        name, own_name = look.text(call), source_name(source)
        other = listed(source_name(scope.sources[at]) for at in sorted(repeating))
        yield Suspicion(
            SuspicionKind.REPEATED_ROWS,
            any(_links(scope.sources[at], scope, own) for at in repeating),
            f"{name} takes a row of {own_name} as often as it has matching rows in {other}.",
            f"{name} takes each row of {own_name} once, and {other} is aggregated apart from it.",
            f"{counted(joined_rows, 'joined row')} for {counted(single, 'row')}.",
            None,
            call,
        )


def _links(source: Source, scope: Scope, own: set[int]) -> bool:
    """Say whether a joined table ties rows of the aggregated one to rows of further tables.

    Then each of its rows may be what is added up (the price of each product sold), and only the
    meaning of the columns can tell.
    """
    tables = [scope.sources[at].table for at in own]
    taken = {table.name.lower() for table in tables if table is not None}
    references = source.table.foreign_keys if source.table is not None else ()
    referred = {key.referenced_table.lower() for key in references}
    return bool(referred & taken) and bool(referred - taken)


def _rounded(rows: tuple[Row, ...]) -> Counter[Row]:
    return Counter(tuple(map(_cell, row)) for row in rows)


def _cell(value: Cell) -> Cell:
    return float(f"{value:.{_SIGNIFICANT}g}") if isinstance(value, float) else value


DETECTOR = Detector(SuspicionKind.REPEATED_ROWS, BOTH_ENGINES, _find)
