"""Population scope: are rows kept that have no match in the joined table?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.cues import read_cues
from specbridge_pipeline.choices.conventions.edits.population_scope_edit import edit_population
from specbridge_pipeline.choices.conventions.shapes import condition_nodes, is_negated
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import Scope, Source
from specbridge_pipeline.sql.join_repeats import column_equalities, is_outer


def _read(reference: Reference) -> Iterator[Reading]:
    for scope in reference.query.scopes:
        if len(scope.sources) < 2:
            continue
        outer = [
            (join, source)
            for join, source in _optional_sources(scope)
            if _stays_outer(scope, join, source)
        ]
        for join, source in outer:
            if not _wants_no_match(scope, source):
                yield Reading(Side.OTHER, "unmatched rows are kept", scope, join)
        if not outer and column_equalities(scope):
            yield Reading(Side.USUAL, "matched rows only", scope, scope.select)


def _optional_sources(scope: Scope) -> Iterator[tuple[exp.Expr, Source]]:
    """Yield the outer joins with the source that can be without a match."""
    for at, join in enumerate(scope.select.args.get("joins") or ()):
        if not is_outer(join) or at + 1 >= len(scope.sources):
            continue
        right = str(join.args.get("side")).upper() == "RIGHT"
        yield join, scope.sources[0 if right else at + 1]


def _stays_outer(scope: Scope, kept_by: exp.Expr, source: Source) -> bool:
    """Say whether no further condition drops the rows without a match again."""
    joins = scope.select.args.get("joins") or ()
    outer = {id(join.args.get("on")) for join in joins if is_outer(join)}
    if str(kept_by.args.get("side")).upper() == "RIGHT":
        # What is joined before says what a match is, not which rows are kept.
        earlier = takewhile(lambda join: join is not kept_by, joins)
        outer |= {id(join.args.get("on")) for join in earlier}
    for node in condition_nodes(scope):
        column = scope.own_column(node)
        if column is None or column.source != source:
            continue
        part: exp.Expr | None = node
        while (
            part is not None
            and id(part) not in outer
            and not isinstance(part, exp.Where | exp.Having | exp.Join)
        ):
            part = part.parent
        if part is None or id(part) in outer or isinstance(part, exp.Having):
            continue
        condition: exp.Expr | None = node.parent
        while condition is not None and not isinstance(condition, exp.Predicate | exp.In):
            condition = condition.parent
        if isinstance(condition, exp.Is) and not is_negated(condition):
            continue
        if condition is not None and condition.find_ancestor(exp.Or) is None:
            return False
    return True


def _wants_no_match(scope: Scope, source: Source) -> bool:
    """Say whether only the rows without a match are kept: that is a negation."""
    for node in condition_nodes(scope):
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            column = scope.own_column(node.this)
            if column is not None and column.source == source and not is_negated(node):
                return True
    return False


CONVENTION = Convention(
    choice_type=ChoiceType.POPULATION_SCOPE,
    meaning="Are rows kept that have no match in the joined table?",
    usual="only rows with a match",
    other="all rows, with or without a match",
    read=_read,
    cues=read_cues(__file__),
    edit=edit_population,
)
