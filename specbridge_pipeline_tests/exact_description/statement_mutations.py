"""Small changes of a statement, each of which may change its result."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import EngineRules
from specbridge_pipeline.sql.parsing import parse_query

_COLUMNS = ("id", "name", "city", "customer_id", "product", "amount", "pieces")
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div)
_AGGREGATES = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Count)
_TEXTS = ("tea", "jam", "oil", "Berlin", "Rome", "Cleo")


def mutants(sql: str, engine: Engine) -> dict[str, str]:
    """Return the changed statements, each with what was changed."""
    original, rules = parse_query(sql, engine), rules_of(engine)
    found: dict[str, str] = {}
    for position, node in enumerate(original.walk()):
        for name, change in _changes(node, rules):
            tree = original.copy()
            target = next(each for at, each in enumerate(tree.walk()) if at == position)
            change(target)
            text = tree.sql(rules.dialect)
            if text != original.sql(rules.dialect):
                found.setdefault(text, name)
    return found


def _changes(node: exp.Expr, rules: EngineRules) -> Iterator[tuple[str, object]]:
    if isinstance(node, _COMPARISONS):
        for kind in _COMPARISONS:
            yield "operator", _as(kind)
    if isinstance(node, exp.Between):
        yield "operator", lambda n: n.replace(exp.GTE(this=n.this.copy(), expression=n.args["low"]))
    if isinstance(node, _ARITHMETIC):
        for kind in _ARITHMETIC:
            yield "operator", _as(kind)
        yield (
            "operands",
            lambda n: (lambda left, right: (n.set("this", right), n.set("expression", left)))(
                n.this.copy(), n.expression.copy()
            ),
        )
    if isinstance(node, exp.Div) and not rules.drops_fractions:
        yield "division", _as(exp.IntDiv)
    if isinstance(node, exp.Div):
        yield (
            "division",
            lambda n: n.set(
                "this", exp.Mul(this=exp.Literal.number("1.0"), expression=n.this.copy())
            ),
        )
    if isinstance(node, exp.Mul) and node.this == exp.Literal.number("1.0"):
        yield "division", lambda n: n.replace(n.expression.copy())
    if isinstance(node, exp.Literal):
        if node.is_string:
            for text in _TEXTS:
                yield "constant", _to(exp.Literal.string(text))
        else:
            for by in (-1, 1, 7):
                yield "constant", _to(exp.Literal.number(_moved(node.name, by)))
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
        for column in _COLUMNS:
            yield "column", lambda n, c=column: n.set("this", exp.to_identifier(c))
        for source in ("customer", "purchase", "first", "second"):
            if node.table:
                yield "source", lambda n, s=source: n.set("table", exp.to_identifier(s))
    if isinstance(node, exp.Table):
        for table in ("customer", "purchase"):
            yield "table", lambda n, t=table: n.set("this", exp.to_identifier(t))
    if isinstance(node, _AGGREGATES):
        yield from _aggregate_changes(node)
    if isinstance(node, exp.Select):
        yield from _select_changes(node, rules)
    if isinstance(node, exp.Join):
        yield from _join_changes(node)
    if isinstance(node, exp.Ordered):
        yield "direction", lambda n: n.replace(_turned(n, rules))
    if isinstance(node, exp.And):
        yield "condition dropped", lambda n: n.replace(n.this.copy())
        yield "condition dropped", lambda n: n.replace(n.expression.copy())
    if isinstance(node, exp.Is):
        yield "null test", lambda n: n.replace(exp.Not(this=n.copy()))
    if isinstance(node, exp.Window):
        for function in ("ROW_NUMBER", "DENSE_RANK"):
            yield "rank", lambda n, f=function: n.set("this", exp.Anonymous(this=f))
        yield (
            "partition",
            lambda n: n.set(
                "partition_by", None if n.args.get("partition_by") else [exp.column("product")]
            ),
        )


def _aggregate_changes(node: exp.Expr) -> Iterator[tuple[str, object]]:
    argument = node.this
    inner = argument.expressions[0] if isinstance(argument, exp.Distinct) else argument
    yield "aggregate", _to(exp.Count(this=exp.Star(), big_int=True))
    if isinstance(argument, exp.Star):
        for column in _COLUMNS:
            counted = exp.Distinct(expressions=[exp.column(column)])
            yield "aggregate", _to(exp.Count(this=exp.column(column), big_int=True))
            yield "aggregate", _to(exp.Count(this=counted, big_int=True))
        return
    for kind in (exp.Sum, exp.Avg, exp.Min, exp.Max):
        yield "aggregate", _to(kind(this=inner.copy()))
        yield "distinct", _to(kind(this=exp.Distinct(expressions=[inner.copy()])))
    yield "aggregate", _to(exp.Count(this=inner.copy(), big_int=True))
    counted = exp.Distinct(expressions=[inner.copy()])
    yield "distinct", _to(exp.Count(this=counted, big_int=True))
    yield "no aggregate", _to(inner)


def _select_changes(node: exp.Select, rules: EngineRules) -> Iterator[tuple[str, object]]:
    for part in ("where", "group", "having", "order", "limit", "offset"):
        if node.args.get(part) is not None:
            yield f"{part} dropped", lambda n, p=part: n.set(p, None)
    yield (
        "distinct",
        lambda n: n.set("distinct", None if n.args.get("distinct") else exp.Distinct()),
    )
    for condition in ("pieces IS NOT NULL", "city IS NOT NULL", "amount > 9", "product IS NULL"):
        yield (
            "condition added",
            lambda n, c=condition: n.where(c, copy=False, dialect=rules.dialect),
        )
    group = node.args.get("group")
    if group is not None and len(group.expressions) > 1:
        for at in range(len(group.expressions)):
            yield "key dropped", lambda n, a=at: n.args["group"].expressions.pop(a)
            yield "key dropped", lambda n, a=at: _without_key(n, a)
    order = node.args.get("order")
    if order is not None:
        for at in range(len(order.expressions)):
            if len(order.expressions) > 1:
                yield "order key dropped", lambda n, a=at: n.args["order"].expressions.pop(a)
        yield "order keys turned", lambda n: n.args["order"].expressions.reverse()
        if node.args.get("limit") is not None:
            yield "rank for limit", _ranked
    if len(node.expressions) > 1:
        yield "output dropped", lambda n: n.expressions.pop()
        yield "outputs turned", lambda n: n.expressions.reverse()
    if node.args.get("limit") is None:
        for count in (1, 2, 3):
            yield "limit added", lambda n, c=count: n.limit(c, copy=False)
    elif node.args.get("offset") is None:
        yield "offset added", lambda n: n.offset(1, copy=False)


def _join_changes(node: exp.Join) -> Iterator[tuple[str, object]]:
    yield "join kind", lambda n: (n.set("side", "LEFT"), n.set("kind", None))
    yield "join kind", lambda n: (n.set("side", None), n.set("kind", None))
    yield "join kind", lambda n: (n.set("side", "FULL"), n.set("kind", None))
    yield "join dropped", lambda n: (n.set("side", None), n.set("kind", "CROSS"), n.set("on", None))


def _ranked(select: exp.Select) -> None:
    """Keep the rows by their place instead of cutting them off."""
    outputs = {each.alias: each.this for each in select.expressions if isinstance(each, exp.Alias)}
    keys = [each.copy() for each in select.args["order"].expressions]
    for key in keys:
        if isinstance(key.this, exp.Column) and key.this.name in outputs and not key.this.table:
            key.set("this", outputs[key.this.name].copy())
    count = select.args["limit"].expression.copy()
    inner = select.copy()
    for part in ("order", "limit", "with_"):
        inner.set(part, None)
    window = exp.Window(this=exp.Anonymous(this="RANK"), order=exp.Order(expressions=keys))
    names = [exp.column(each.alias_or_name) for each in inner.expressions]
    inner.append("expressions", exp.alias_(window, "place"))
    select.set("order", None)
    select.set("limit", None)
    for part in ("where", "group", "having", "joins", "distinct"):
        select.set(part, None)
    select.set("expressions", names)
    alias = exp.TableAlias(this=exp.to_identifier("ranked"))
    select.set("from_", exp.From(this=exp.Subquery(this=inner, alias=alias)))
    select.set("where", exp.Where(this=exp.LTE(this=exp.column("place"), expression=count)))


def _without_key(select: exp.Select, at: int) -> None:
    """Group by one key less, and return it no longer."""
    key = select.args["group"].expressions.pop(at)
    select.set("expressions", [each for each in select.expressions if each != key])


def _turned(node: exp.Expr, rules: EngineRules) -> exp.Expr:
    descending = not node.args.get("desc")
    return exp.Ordered(
        this=node.this.copy(),
        desc=descending,
        nulls_first=rules.missing_first(descending=descending),
    )


def _as(kind: type[exp.Expr]):
    return lambda node: node.replace(kind(this=node.this.copy(), expression=node.expression.copy()))


def _to(replacement: exp.Expr):
    return lambda node: node.replace(replacement.copy())


def _moved(number: str, by: int) -> str:
    return str(float(number) + by) if "." in number else str(max(int(number) + by, 0))
