"""The edit of a negation: no record with a value, or some record without it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import (
    Draft,
    OtherSide,
    Unsound,
    conjunction,
    named,
)
from specbridge_pipeline.choices.conventions.edits.clauses import (
    has_rows,
    optional_positions,
    required,
    take_out,
)
from specbridge_pipeline.choices.conventions.edits.conditions_in_words import in_words, opposite
from specbridge_pipeline.choices.conventions.edits.looked_up_records import (
    correlated,
    given_columns,
    is_link,
    of_one_row,
)
from specbridge_pipeline.choices.conventions.edits.negation_of_joined import (
    no_joined_record,
    rows_of,
)
from specbridge_pipeline.choices.conventions.shapes import nested_select
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope
from specbridge_pipeline.sql.places import first_member, is_star, own_nodes


def edit_negation(draft: Draft) -> OtherSide | Unsound:
    """Ask for some record without a value, or for no record with it; see `Edit`."""
    node = draft.node
    if isinstance(node, exp.SetOperation):
        nested = node.expression
    elif isinstance(node, exp.Exists) or node.args.get("query") is not None:
        nested = node.args.get("query") or node.this
    else:
        return no_joined_record(draft)
    inside = draft.query.scope_of(nested_select(nested))
    if inside is None:
        return Unsound("The records are not given by one SELECT.")
    return _looked_up(draft, inside)


@dataclass(frozen=True, slots=True)
class _Records:
    """The records that an exclusion looks at.

    Attributes:
        conditions: The conditions on them, as they stand in the tree.
        links: The conditions that tie them to each other and to the thing.
        words: The conditions in words.
        other: The opposite of all of them together.
        other_words: That in words.
    """

    conditions: tuple[exp.Expr, ...]
    links: tuple[exp.Expr, ...]
    words: str
    other: exp.Expr
    other_words: str


def _looked_up(draft: Draft, inside: Scope) -> OtherSide | Unsound:
    """Turn round which records are looked up, and whether one must be found or none."""
    found = _records(draft, inside)
    if isinstance(found, Unsound):
        return found
    reason = _unsound(draft, inside, found)
    if reason is not None:
        return Unsound(reason)
    node = draft.node
    proviso = _missing_keys(draft, inside) if isinstance(node, exp.In) else ""
    if isinstance(proviso, Unsound):
        return proviso
    start, end = _frame(draft, inside, found)
    some, none = found.other_words, found.words
    if not draft.is_usual:
        some, none = none, some
    some_record = start.format(f"some row of {rows_of(inside)} where {some}") + f"{end}."
    no_record = start.format(f"no row of {rows_of(inside)} where {none}") + f"{end}{proviso}."
    replaced_by = found.other
    if isinstance(replaced_by, exp.And | exp.Or):
        replaced_by = exp.Paren(this=replaced_by)
    for condition in found.conditions[1:]:
        take_out(condition)
    found.conditions[0].replace(replaced_by)
    tree = _turned_round(draft)
    if draft.is_usual:
        return OtherSide(tree, no_record, some_record)
    return OtherSide(tree, some_record, no_record)


def _turned_round(draft: Draft) -> exp.Query:
    """Look for a record where none was to be found, or the reverse; return the query's tree."""
    node, tree = draft.node, draft.query.tree
    if isinstance(node, exp.Except | exp.Intersect):
        kind = exp.Intersect if isinstance(node, exp.Except) else exp.Except
        other = kind(**dict(node.args))
        if node is tree:
            return other
        node.replace(other)
    elif draft.is_usual:
        around = node.find_ancestor(exp.Not)
        if around is not None:
            around.replace(node)
    else:
        node.replace(exp.Not(this=node.copy()))
    return tree


def _frame(draft: Draft, inside: Scope, found: _Records) -> tuple[str, str]:
    """Return the sentence around the records: what stands before, with a gap, and after."""
    node, query = draft.node, draft.query
    if isinstance(node, exp.SetOperation):
        left = query.scope_of(first_member(node.this)) or draft.scope
        kept = _outputs(query, left)
        return f"Each different {kept} is returned for which {{}}", (
            f" has the same {_outputs(query, inside)}"
        )
    links = [in_words(query, inside, each) or "" for each in correlated(inside, found.links)]
    if isinstance(node, exp.In):
        subject = named(query, draft.scope, node.this)
        tied = "".join(f" and {each}" for each in links)
        return "Rows are kept for which {}" + tied, (
            f" has their {subject} as {_outputs(query, inside)}"
        )
    return f"Rows are kept for which there is {{}} and {' and '.join(links)}", ""


def _records(draft: Draft, inside: Scope) -> _Records | Unsound:
    query, inner = draft.query, inside.select
    if inner.args.get("having") is not None:
        return Unsound("The records are told by a whole group, of which each thing has one.")
    if inner.args.get("limit") is not None:
        return Unsound("The records are cut to a number of rows.")
    if any(item.find(exp.AggFunc) is not None for item in inner.expressions):
        return Unsound("What is looked up is a figure computed of all records together.")
    if optional_positions(inside):
        return Unsound("Rows without a match are among the records.")
    links: list[exp.Expr] = []
    conditions: list[exp.Expr] = []
    for each in required(inside):
        (links if is_link(query, inside, each) else conditions).append(each)
    if not conditions:
        return Unsound("Nothing is asked of the records, so that none of them is without it.")
    # Conditions that each exclude a value exclude all of them together.
    if len(conditions) > 1 and draft.is_usual:
        return Unsound("Several conditions tell the records, any of which could be negated.")
    if isinstance(draft.node, exp.Exists) and not correlated(inside, links):
        return Unsound("The records do not belong to a row.")
    condition = conjunction(conditions) or conditions[0]
    other, words = opposite(condition), _worded(query, inside, conditions)
    other_words = None if other is None else in_words(query, inside, other)
    if other is None or words is None or other_words is None:
        return Unsound("The condition on the records has no opposite that could be said.")
    return _Records(tuple(conditions), tuple(links), words, other, other_words)


def _worded(query: ResolvedQuery, inside: Scope, conditions: list[exp.Expr]) -> str | None:
    words = [in_words(query, inside, each) for each in conditions]
    return None if None in words else " and ".join(each for each in words if each)


def _unsound(draft: Draft, inside: Scope, found: _Records) -> str | None:
    negations = 0
    around = draft.node.parent
    while around is not None and not isinstance(around, exp.Query):
        negations += isinstance(around, exp.Not)
        around = around.parent
    if negations > (1 if draft.is_usual and not isinstance(draft.node, exp.Except) else 0):
        return "The exclusion is itself negated."
    own = [
        inside.own_column(column)
        for each in found.conditions
        for column in each.find_all(exp.Column)
    ]
    asked = {each.source for each in own if each is not None}
    if not asked or None in own:
        return "The condition compares records with the row around."
    outer = draft.scope
    if any(source.table in {each.table for each in outer.sources} for source in asked):
        return "The condition is on the thing itself, not on its records."
    fixed = given_columns(inside, found.links, not isinstance(draft.node, exp.Exists))
    by_keys = any(source.position in of_one_row(inside, fixed) for source in asked)
    if by_keys and not _have_several(draft, inside, found):
        return "Each thing has one such record, so that both sides ask the same of it."
    return None


def _have_several(draft: Draft, inside: Scope, found: _Records) -> bool | None:
    """Say whether some thing has records that differ in what is asked; None where nobody knows.

    Schema files that list one key column of a table leave the others of the key out.
    """
    if isinstance(draft.node, exp.Exists) or correlated(inside, found.links):
        return None
    if any(is_star(item) for item in inside.select.expressions):
        return None
    asked = next(found.conditions[0].find_all(exp.Column))
    records = inside.select.copy()
    for part in ("where", "distinct", "group"):
        records.set(part, None)
    links = conjunction(found.links)
    if links is not None:
        records = records.where(links, copy=False)
    keys = [item.unalias().copy() for item in inside.select.expressions]
    different = exp.Count(this=exp.Distinct(expressions=[asked.copy()]))
    records = records.group_by(*keys, copy=False).having(
        exp.GT(this=different, expression=exp.Literal.number(1)), copy=False
    )
    return has_rows(draft.data, records)


def _missing_keys(draft: Draft, inside: Scope) -> str | Unsound:
    """Return the proviso under which NOT IN means that there is no record; empty for none.

    With a missing value among those that it compares with, NOT IN keeps no row at all.
    """
    item = inside.select.expressions[0].unalias()
    column = inside.own_column(item)
    if column is None:
        return Unsound("The records are looked up by a computed value.")
    if column.column is not None and (column.column.not_null or column.column.primary_key_position):
        return ""
    name = named(draft.query, inside, item)
    if not any(inside.own_column(each) is None for each in _columns(inside)):
        missing = inside.select.copy()
        missing = missing.where(exp.Is(this=item.copy(), expression=exp.Null()))
        known = has_rows(draft.data, missing)
        if known is False:
            return ""
        if known:
            return Unsound(f"One of the records lacks {name}, so that NOT IN keeps no row at all.")
    return f", provided that none of them lacks {name}"


def _columns(scope: Scope) -> list[exp.Expr]:
    return [
        each
        for each in own_nodes(scope.select)
        if isinstance(each, exp.Column) and not is_star(each)
    ]


def _outputs(query: ResolvedQuery, scope: Scope) -> str:
    items = [item.unalias() for item in scope.select.expressions]
    if any(is_star(item) for item in items):
        return "row"
    names = [named(query, scope, item) for item in items]
    if len(names) == 1:
        return names[0]
    return f"combination of {', '.join(names[:-1])} and {names[-1]}"
