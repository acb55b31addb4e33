"""Value matching: must a text be the value asked for, or only contain it?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.cues import read_cues
from specbridge_pipeline.choices.conventions.edits.value_matching_edit import edit
from specbridge_pipeline.choices.conventions.shapes import column_kind, condition_nodes
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope
from specbridge_pipeline.sql.engines.rules import ColumnKind

_DATE_PART = re.compile(r"[%_]*[\d:/\-\s.%_]+")


def _read(reference: Reference) -> Iterator[Reading]:
    for scope in reference.query.scopes:
        for node in condition_nodes(scope):
            reading = _match(reference.query, scope, node)
            if reading is not None:
                yield reading


def _match(query: ResolvedQuery, scope: Scope, node: exp.Expr) -> Reading | None:
    if isinstance(node, exp.Like | exp.ILike | exp.Glob):
        pattern = _string(node.expression)
        if (
            pattern is None
            or not _is_text(query, scope, node.this)
            or _DATE_PART.fullmatch(pattern)
        ):
            return None
        body = pattern.strip("%*")
        if body == pattern and not re.search(r"[%*]", pattern):
            # Without a wildcard LIKE is an equality in any case.
            return None
        if not body:
            return None
        return Reading(Side.OTHER, "a part of the text", scope, node)
    if isinstance(node, exp.EQ):
        for one, other in ((node.this, node.expression), (node.expression, node.this)):
            if _string(other) and _is_text(query, scope, one):
                return Reading(Side.USUAL, "the whole text", scope, node)
    listed = node.expressions if isinstance(node, exp.In) else []
    if any(_string(each) for each in listed) and _is_text(query, scope, node.this):
        return Reading(Side.USUAL, "the whole text", scope, node)
    return None


def _string(node: exp.Expr | None) -> str | None:
    return node.name if isinstance(node, exp.Literal) and node.is_string else None


def _is_text(query: ResolvedQuery, scope: Scope, node: exp.Expr) -> bool:
    while isinstance(node, exp.Lower | exp.Upper | exp.Trim | exp.Paren):
        node = node.this
    origin = query.origin(scope, node)
    return origin is not None and column_kind(query, origin[1]) is ColumnKind.TEXT


CONVENTION = Convention(
    choice_type=ChoiceType.VALUE_MATCHING,
    meaning="Must a text be the value asked for, or only contain it?",
    usual="it is the value",
    other="it contains the value",
    read=_read,
    cues=read_cues(__file__),
    edit=edit,
)
