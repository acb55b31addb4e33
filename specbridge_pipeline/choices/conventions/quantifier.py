"""Quantifier: is "than any" than every one, or than at least one?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.cues import read_cues
from specbridge_pipeline.choices.conventions.editing import Draft, OtherSide, Unsound, named
from specbridge_pipeline.choices.conventions.edits.selects import is_under_not, opening
from specbridge_pipeline.choices.conventions.shapes import condition_nodes, nested_select
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import Scope
from specbridge_pipeline.sql.join_repeats import row_conditions

_ABOVE = (exp.GT, exp.GTE)
_BELOW = (exp.LT, exp.LTE)


def _read(reference: Reference) -> Iterator[Reading]:
    for scope in reference.query.scopes:
        for node in condition_nodes(scope):
            if not isinstance(node, _ABOVE + _BELOW):
                continue
            for value, above in (
                (node.expression, isinstance(node, _ABOVE)),
                (node.this, isinstance(node, _BELOW)),
            ):
                side = _side(value, above=above)
                if side is not None:
                    form = "than every one" if side is Side.USUAL else "than at least one"
                    yield Reading(side, form, scope, node)


def _side(value: exp.Expr, *, above: bool) -> Side | None:
    if isinstance(value, exp.All):
        return Side.USUAL
    if isinstance(value, exp.Any):
        return Side.OTHER
    select = nested_select(value)
    if select is None or len(select.expressions) != 1:
        return None
    item = select.expressions[0].unalias()
    if isinstance(item, exp.Max):
        return Side.USUAL if above else Side.OTHER
    if isinstance(item, exp.Min):
        return Side.OTHER if above else Side.USUAL
    return None


_WORDS: Mapping[type[exp.Expr], tuple[str, str]] = {
    exp.GT: ("greater than", "less than"),
    exp.GTE: ("greater than or equal to", "less than or equal to"),
    exp.LT: ("less than", "greater than"),
    exp.LTE: ("less than or equal to", "greater than or equal to"),
}
"""Comparison → its words, and those with its operands in the other order."""


def _edit(draft: Draft) -> OtherSide | Unsound:
    node = draft.node
    extremes = [
        (at, value, other)
        for at, (value, other) in enumerate(
            ((node.expression, node.this), (node.this, node.expression))
        )
        if _side(value, above=isinstance(node, _ABOVE) is (at == 0)) is not None
    ]
    if len(extremes) > 1:
        return Unsound("Both values that are compared are the greatest or least of several.")
    [(at, value, subject)] = extremes
    if isinstance(value, exp.All | exp.Any):
        return Unsound("SQLite has no ALL and no ANY, so that the query does not run.")
    inner = draft.query.scope_of(nested_select(value))
    if inner is None or any(
        inner.select.args.get(name) is not None for name in ("group", "having", "limit", "offset")
    ):
        return Unsound("The greatest or least value is that of one of several groups of rows.")
    if is_under_not(node):
        return Unsound("The comparison stands under a NOT, which turns every one into some.")
    item = inner.select.expressions[0].unalias()
    strict = isinstance(node, exp.GT | exp.LT)
    if not draft.is_usual and strict and _includes_itself(draft, inner, subject, item.this):
        return Unsound("The row is among those it is compared with, and passes not even itself.")
    start = (
        f"{opening(node)} {named(draft.query, draft.scope, subject)} is {_WORDS[type(node)][at]}"
    )
    values = f"{named(draft.query, inner, item.this)} in the rows of the nested query"
    every = f"{start} every {values} that is not missing, of which there must be one."
    some = f"{start} at least one {values}."
    item.replace((exp.Min if isinstance(item, exp.Max) else exp.Max)(**dict(item.args)))
    if draft.is_usual:
        return OtherSide(draft.query.tree, every, some)
    return OtherSide(draft.query.tree, some, every)


def _includes_itself(draft: Draft, inner: Scope, subject: exp.Expr, value: exp.Expr) -> bool:
    """Say whether the values that a value is compared with have it among them, in every row."""
    origin = draft.query.origin(draft.scope, subject)
    if origin is None or draft.query.origin(inner, value) != origin or len(inner.sources) != 1:
        return False
    outer = {_bare(condition) for condition in row_conditions(draft.scope)}
    return {_bare(condition) for condition in row_conditions(inner)} <= outer


def _bare(condition: exp.Expr) -> str:
    """Return a condition's SQL without the names of the sources that its columns are from."""
    shown = condition.copy()
    for column in shown.find_all(exp.Column):
        column.set("table", None)
    return shown.sql("sqlite").lower()


CONVENTION = Convention(
    choice_type=ChoiceType.QUANTIFIER,
    meaning='Is "than any" than every one, or than at least one?',
    usual="than every one",
    other="than at least one",
    read=_read,
    cues=read_cues(__file__),
    edit=_edit,
)
