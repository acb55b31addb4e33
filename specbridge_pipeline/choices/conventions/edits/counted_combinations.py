"""Counting the rows of a table once by a key of several columns, which no one value stands for."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import Draft, identifier
from specbridge_pipeline.choices.conventions.edits.extremes import text_of
from specbridge_pipeline.choices.conventions.edits.output_columns import (
    free_name,
    names_in_use,
)
from specbridge_pipeline.choices.conventions.shapes import group_columns
from specbridge_pipeline.sql.places import is_star, own_nodes

_FURTHER = (exp.AggFunc, exp.Star, exp.Query, exp.Window)


def count_combinations(draft: Draft, count: exp.Count, key: Sequence[exp.Expr]) -> bool:
    """Count different combinations of values in each group, in a nested query that lists them.

    Nothing else can be read from the rows that are listed: whatever else the SELECT returns or
    orders by has to be what it groups by.

    Args:
        draft: The edit's draft; its tree is changed.
        count: The count of the joined rows.
        key: The columns whose combinations are counted.

    Returns:
        Whether it was done; where it was not, the tree is as it was.
    """
    query, scope, select = draft.query, draft.scope, draft.select
    groups = group_columns(scope)
    counted = [] if is_star(count.this) or isinstance(count.this, exp.Literal) else [count.this]
    taken = names_in_use(query)
    by = {text_of(query, scope, each): each for each in [*groups, *key, *counted]}
    values = list(by.values())
    written = [each.name.lower() for each in values if isinstance(each, exp.Column)]
    names: list[str] = []
    listed: list[exp.Expr] = []
    for value in values:
        plain = isinstance(value, exp.Column) and written.count(value.name.lower()) == 1
        name = value.name if plain else free_name("listed", taken)
        taken.add(name.lower())
        names.append(name)
        listed.append(value.copy() if plain else exp.alias_(value.copy(), identifier(name)))
    name_of = dict(zip(by, names, strict=True))
    by_text = {text: name_of[text] for text in (text_of(query, scope, each) for each in groups)}
    counts = [exp.column(identifier(name_of[text_of(query, scope, each)])) for each in counted]
    rows = exp.Count(this=counts[0] if counts else exp.Star())
    rows.set("big_int", True)
    replaced: list[tuple[exp.Expr, exp.Expr]] = []
    parts = [*select.expressions]
    parts += [select.args[name] for name in ("having", "order") if select.args.get(name)]
    for part in parts:
        found = _readings(draft, part, text_of(query, scope, count), by_text, rows)
        if found is None:
            return False
        replaced += found
    inner = exp.Select(expressions=listed, distinct=exp.Distinct())
    for name in ("from_", "joins", "where"):
        value = select.args.get(name)
        if value:
            copies = [each.copy() for each in value] if isinstance(value, list) else value.copy()
            inner.set(name, copies)
    for node, other in replaced:
        item = node.parent is select and node.arg_key == "expressions"
        same_name = isinstance(node, exp.Column) and node.name == other.name
        if item and isinstance(node, exp.Column) and not same_name:
            node.replace(exp.alias_(other, identifier(node.name)))
        else:
            node.replace(other)
    select.set("from_", exp.From(this=exp.Subquery(this=inner)))
    select.set("joins", None)
    select.set("where", None)
    if groups:
        keys = [exp.column(identifier(name)) for name in by_text.values()]
        select.set("group", exp.Group(expressions=keys))
    return True


def _readings(
    draft: Draft, part: exp.Expr, count: str, keys: dict[str, str], rows: exp.Expr
) -> list[tuple[exp.Expr, exp.Expr]] | None:
    """Return what a part reads of the rows, with what it reads instead; None for anything else."""
    query, scope = draft.query, draft.scope
    found: list[tuple[exp.Expr, exp.Expr]] = []
    done: set[int] = set()
    for node in own_nodes(draft.select, part):
        if id(node) in done:
            continue
        text = text_of(query, scope, node)
        other: exp.Expr | None = None
        if isinstance(node, exp.Count) and text == count:
            other = rows.copy()
        elif text in keys and not isinstance(node, exp.Identifier):
            other = exp.column(identifier(keys[text]))
        elif isinstance(node, _FURTHER) or scope.own_column(node) is not None:
            return None
        if other is not None:
            found.append((node, other))
            done |= {id(inside) for inside in node.walk()}
    return found
