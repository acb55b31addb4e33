"""Strict cutoff: is a value that equals the cutoff in or out?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sqlglot import exp

from specbridge_pipeline.choices.conventions.convention import (
    Convention,
    Reading,
    Reference,
    Side,
)
from specbridge_pipeline.choices.conventions.cues import read_cues
from specbridge_pipeline.choices.conventions.editing import (
    Draft,
    OtherSide,
    Unsound,
    named,
    swapped,
)
from specbridge_pipeline.choices.conventions.shapes import (
    condition_nodes,
    is_negated,
    literal_of,
)
from specbridge_pipeline.choices.types import ChoiceType
from specbridge_pipeline.sql.column_origins import ResolvedQuery, Scope

_STRICT = (exp.GT, exp.LT)
_INCLUSIVE = (exp.GTE, exp.LTE)


def _read(reference: Reference) -> Iterator[Reading]:
    for scope in reference.query.scopes:
        nodes = list(condition_nodes(scope))
        ranged = _bounded_twice(nodes)
        for node in nodes:
            if not isinstance(node, _STRICT + _INCLUSIVE):
                continue
            if _text(node.this) in ranged or _text(node.expression) in ranged:
                continue
            literal = literal_of(node.expression) or literal_of(node.this)
            # Without a question, every cutoff may be one that it would give.
            if literal is None or (
                reference.question and not _is_said(literal, reference.question)
            ):
                continue
            if not _reads_column(reference.query, scope, node):
                continue
            strict = isinstance(node, _STRICT)
            form = "strict" if strict else "inclusive"
            yield Reading(Side.USUAL if strict else Side.OTHER, form, scope, node)


def _text(node: exp.Expr) -> str:
    return node.sql("sqlite").lower()


def _bounded_twice(nodes: list[exp.Expr]) -> set[str]:
    """Return what is bounded from below and from above: a range, which is another choice."""
    below = {_text(node.this) for node in nodes if isinstance(node, exp.GT | exp.GTE)}
    above = {_text(node.this) for node in nodes if isinstance(node, exp.LT | exp.LTE)}
    return below & above


def _reads_column(query: ResolvedQuery, scope: Scope, node: exp.Expr) -> bool:
    """Say whether a value of a table is compared: no count of whole things, and no place."""
    value = node.this if literal_of(node.expression) is not None else node.expression
    return not isinstance(value.unnest(), exp.Count) and any(
        query.origin(scope, each) is not None for each in value.find_all(exp.Column)
    )


def _is_said(literal: exp.Literal, question: str) -> bool:
    """Say whether the question gives the cutoff; a "good" one is not a question of its bound."""
    digits = re.findall(r"\d+(?:\.\d+)?", literal.name.replace(",", ""))
    said = question.replace(",", "")
    return bool(digits) and re.search(rf"(?<![\d.]){re.escape(digits[0])}(?!\d)", said) is not None


_OTHER_BOUND: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.GT: exp.GTE,
    exp.GTE: exp.GT,
    exp.LT: exp.LTE,
    exp.LTE: exp.LT,
}
_MIRRORED: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
}
_WORDS: Mapping[type[exp.Expr], str] = {
    exp.GT: "greater than",
    exp.GTE: "greater than or equal to",
    exp.LT: "less than",
    exp.LTE: "less than or equal to",
}


def _edit(draft: Draft) -> OtherSide | Unsound:
    node = draft.node
    other = swapped(_OTHER_BOUND, node)
    if other is None:
        return Unsound("The cutoff is no comparison with <, <=, > or >=.")
    turned = literal_of(node.this) is not None
    subject, cutoff = (node.expression, node.this) if turned else (node.this, node.expression)
    start = (
        f"Rows are kept where {named(draft.query, draft.scope, subject)} is "
        f"{'not ' if is_negated(node) else ''}"
    )
    taken, otherwise = (
        f"{start}{_WORDS[_MIRRORED[type(each)] if turned else type(each)]} {cutoff.sql('sqlite')}."
        for each in (node, other)
    )
    node.replace(other)
    return OtherSide(draft.query.tree, taken, otherwise)


CONVENTION = Convention(
    choice_type=ChoiceType.STRICT_CUTOFF,
    meaning="Is a value that equals the cutoff in or out?",
    usual="out: the comparison is strict",
    other="in: the comparison is inclusive",
    read=_read,
    cues=read_cues(__file__),
    edit=_edit,
)
