"""What the keys of a top-level ORDER BY mean, bound to names as the engine binds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.sql.engines import rules_of
from specbridge_pipeline.sql.engines.rules import EngineRules
from specbridge_pipeline.sql.parsing import shorten


@dataclass(frozen=True, slots=True)
class OrderKey:
    """One key of an ORDER BY, ready to be moved out of it.

    Exactly one of the three places is set.

    Attributes:
        position: The output column, counted from 0, whose value is the key.
        hidden: An expression over the source rows, to be carried as a hidden column.
        derived: An expression over output columns alone, written with the names that
            `visible_name` gives.
        direction: What follows the key: collation, ASC or DESC, NULLS FIRST or LAST.
    """

    position: int | None
    hidden: str | None
    derived: str | None
    direction: str


def visible_name(position: int) -> str:
    """Return the name under which output column `position`, counted from 0, is carried."""
    return f"visible_{position + 1}"


def bind_order_keys(
    query: exp.Query,
    terms: tuple[exp.Ordered, ...],
    names: tuple[str, ...],
    substituted: frozenset[str] = frozenset(),
    engine: Engine = Engine.SQLITE,
    *,
    carried: bool = False,
) -> tuple[OrderKey, ...]:
    """Bind the keys of a top-level ORDER BY.

    An integer literal is a position. A bare name binds to an output alias first and to a source
    column next; inside an expression the source column comes first. Whether a source column exists
    only the engine knows: an expression is first left as it is, and a name that the engine does
    not find is passed in `substituted` on the next try. The keys of a set operation name output
    columns of one of its members. After DISTINCT a key has to be a function of the output columns:
    by its expression, or on the data, in which case DISTINCT can carry it.

    Args:
        query: The query without its ORDER BY.
        terms: The terms of the ORDER BY.
        names: The output column names that the engine gives the query.
        substituted: Lower-case aliases to be replaced by their expressions inside expressions.
        engine: The engine that the query is for.
        carried: Whether a key outside the select list of DISTINCT is to be carried as a hidden
            column. The caller sees to it that this makes no more rows.

    Returns:
        One key per term.

    Raises:
        UnusableReferenceError: A key is not determined by the query, or cannot be bound.
    """
    rules = rules_of(engine)
    return tuple(_bind(query, term, names, substituted, rules, carried) for term in terms)


def aliases(query: exp.Query) -> frozenset[str]:
    """Return the output aliases of a plain SELECT in lower case; none for a set operation.

    Args:
        query: The query.

    Returns:
        The aliases that an ORDER BY expression may refer to.
    """
    if not isinstance(query, exp.Select):
        return frozenset()
    return frozenset(
        item.alias.lower() for item in query.expressions if isinstance(item, exp.Alias)
    )


def _bind(
    query: exp.Query,
    term: exp.Ordered,
    names: tuple[str, ...],
    substituted: frozenset[str],
    rules: EngineRules,
    carried: bool,
) -> OrderKey:
    core, collation = _without_collation(term.this, rules)
    # The parser has filled in the engine's own default where the statement names none.
    nulls = "NULLS FIRST" if term.args.get("nulls_first") else "NULLS LAST"
    direction = " ".join(
        part for part in (collation, "DESC" if term.args.get("desc") else "ASC", nulls) if part
    )
    position = _position_literal(core, len(names), rules)
    if position is None:
        if isinstance(query, exp.Select):
            position = _position_in_select(query, core, len(names))
        else:
            position = _position_in_members(query, core, names)
    if position is not None:
        return OrderKey(position, None, None, direction)
    if not isinstance(query, exp.Select):
        raise _unbound(core, "names no output column of the set operation", rules)
    if query.args.get("distinct") and not carried:
        return _key_after_distinct(query, core, names, direction, rules)
    return OrderKey(None, _hidden_expression(query, core, substituted, rules), None, direction)


def _without_collation(expression: exp.Expr, rules: EngineRules) -> tuple[exp.Expr, str]:
    """Split off the parentheses and collations around a key, as the engine does to bind it."""
    collation = ""
    while isinstance(expression, exp.Paren | exp.Collate):
        if isinstance(expression, exp.Collate) and not collation:
            collation = f"COLLATE {expression.expression.sql(rules.dialect)}"
        expression = expression.this
    return expression, collation


def _position_literal(expression: exp.Expr, width: int, rules: EngineRules) -> int | None:
    if not isinstance(expression, exp.Literal) or expression.is_string:
        return None
    try:
        position = int(expression.name)
    except ValueError:
        return None
    if not 1 <= position <= width:
        raise _unbound(expression, "is no position of an output column", rules)
    return position - 1


def _is_star(item: exp.Expr) -> bool:
    return isinstance(item, exp.Star) or (
        isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
    )


def _bare_name(expression: exp.Expr) -> str | None:
    if isinstance(expression, exp.Column) and not expression.table:
        return expression.name.lower()
    return None


def _output_position(items: list[exp.Expr], index: int, width: int) -> int | None:
    """Return where item `index` of a select list stands once its stars are expanded."""
    if not any(_is_star(item) for item in items[:index]):
        return index
    if not any(_is_star(item) for item in items[index:]):
        return width - (len(items) - index)
    return None


def _position_in_select(query: exp.Select, core: exp.Expr, width: int) -> int | None:
    items = query.expressions
    name = _bare_name(core)
    if name is not None:
        for index, item in enumerate(items):
            if isinstance(item, exp.Alias) and item.alias.lower() == name:
                return _output_position(items, index, width)
    for index, item in enumerate(items):
        if not _is_star(item) and item.unalias() == core:
            return _output_position(items, index, width)
    return None


def _members(query: exp.Expr) -> Iterator[exp.Select]:
    """Yield the members of a set operation from left to right."""
    if isinstance(query, exp.SetOperation):
        yield from _members(query.this)
        yield from _members(query.expression)
    elif isinstance(query, exp.Select):
        yield query


def _same_column(item: exp.Expr, core: exp.Expr) -> bool:
    """Say whether two columns are one, where at most one of them names its table.

    A bare name that more than one table had would be ambiguous to the engine.
    """
    item = item.unalias()
    return (
        isinstance(item, exp.Column)
        and isinstance(core, exp.Column)
        and not _is_star(item)
        and item.name.lower() == core.name.lower()
        and (not item.table or not core.table or item.table.lower() == core.table.lower())
    )


def _position_in_members(query: exp.Query, core: exp.Expr, names: tuple[str, ...]) -> int | None:
    name = _bare_name(core)
    for number, member in enumerate(_members(query)):
        items = member.expressions
        if name is not None:
            for index, item in enumerate(items):
                if isinstance(item, exp.Alias) and item.alias.lower() == name:
                    return _output_position(items, index, len(names))
        for index, item in enumerate(items):
            if _same_column(item, core) or (not _is_star(item) and item.unalias() == core):
                return _output_position(items, index, len(names))
        if number == 0 and name is not None and any(_is_star(item) for item in items):
            found = [index for index, output in enumerate(names) if output.lower() == name]
            if len(found) == 1:
                return found[0]
    return None


def _key_after_distinct(
    query: exp.Select,
    core: exp.Expr,
    names: tuple[str, ...],
    direction: str,
    rules: EngineRules,
) -> OrderKey:
    """Rewrite a key over output columns: DISTINCT keeps nothing else of a row."""
    items = query.expressions

    def output(node: exp.Expr) -> exp.Expr:
        for index, item in enumerate(items):
            if not _is_star(item) and (item.unalias() == node or _same_column(item, node)):
                position = _output_position(items, index, len(names))
                if position is not None:
                    return exp.column(visible_name(position))
        if isinstance(node, exp.Column) and any(_is_star(item) for item in items):
            found = [at for at, name in enumerate(names) if name.lower() == node.name.lower()]
            if len(found) == 1:
                return exp.column(visible_name(found[0]))
        return node

    rewritten = core.transform(output)
    carried = {visible_name(index) for index in range(len(names))}
    outside = [column for column in rewritten.find_all(exp.Column) if column.name not in carried]
    if outside or rewritten.find(exp.Query, exp.AggFunc, exp.Window):
        raise _unbound(core, "is outside the select list of a DISTINCT query", rules)
    return OrderKey(None, None, rewritten.sql(rules.dialect), direction)


def _hidden_expression(
    query: exp.Select, core: exp.Expr, substituted: frozenset[str], rules: EngineRules
) -> str:
    by_alias = {
        item.alias.lower(): item.this
        for item in reversed(query.expressions)
        if isinstance(item, exp.Alias)
    }
    undoubted: dict[str, str] = {}

    def rewrite(node: exp.Expr) -> exp.Expr:
        name = _bare_name(node)
        if name is None or name not in by_alias:
            return node
        if name in substituted:
            if node.find_ancestor(exp.Query) is not None:
                raise _unbound(core, f"uses the alias {name} inside a subquery", rules)
            return exp.Paren(this=by_alias[name].copy())
        if node.this.args.get("quoted"):
            placeholder = f"specbridge_quoted_{len(undoubted)}_"
            undoubted[placeholder] = rules.named(node.name)
            return exp.column(placeholder)
        return node

    text = core.transform(rewrite).sql(rules.dialect)
    for placeholder, quoted in undoubted.items():
        text = text.replace(placeholder, quoted)
    return text


def _unbound(expression: exp.Expr, problem: str, rules: EngineRules) -> UnusableReferenceError:
    return UnusableReferenceError(
        f"the ORDER BY key {shorten(expression.sql(rules.dialect))} {problem}",
        advice="order by output columns, or by columns that each row of the result determines",
    )
