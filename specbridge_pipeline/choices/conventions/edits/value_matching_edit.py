"""The edit of a comparison with a text: the whole text, or a part of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from specbridge_pipeline.choices.conventions.editing import (
    Draft,
    OtherSide,
    Unsound,
    named,
)
from specbridge_pipeline.choices.conventions.edits.selects import opening
from specbridge_pipeline.choices.conventions.shapes import condition_nodes, is_identifier
from specbridge_pipeline.sql.aggregates import aggregates_of, gives_one_row
from specbridge_pipeline.sql.places import Place, own_nodes, place_of

_DATE_OR_NUMBER = re.compile(r"[\d:/\-\s.]+")
_SHORTEST = 3
"""Characters below which a text is a code or a letter: others contain it without meaning it."""

_FOLDED = "small and capital letters from a to z being alike"


@dataclass(frozen=True, slots=True)
class _Pattern:
    """What a pattern without gaps asks for.

    Attributes:
        value: The text that must occur.
        way: Where in the text, as a verb.
        folded: Whether small and capital letters are alike.
    """

    value: str
    way: str
    folded: bool


@dataclass(frozen=True, slots=True)
class _Match:
    """One comparison of a value with texts.

    Attributes:
        node: It, with its ESCAPE.
        subject: What is compared.
        patterns: What it is compared with: several for a list.
        negated: Whether it is written as negated.
    """

    node: exp.Expr
    subject: exp.Expr
    patterns: tuple[_Pattern, ...]
    negated: bool


def edit(draft: Draft) -> OtherSide | Unsound:
    """Match whole texts or parts of them, the other way round; see `editing.Edit`."""
    found = [_read_match(node) for node in _alternatives(draft.node)]
    wrong = next((each for each in found if isinstance(each, Unsound)), None)
    if wrong is not None:
        return wrong
    matches = [each for each in found if isinstance(each, _Match)]
    subject = matches[0].subject
    patterns = [pattern for match in matches for pattern in match.patterns]
    if any(len(each.value.strip()) < _SHORTEST for each in patterns):
        return Unsound("The value has one or two characters, which many a text contains by chance.")
    reason = _unwanted(draft, subject, patterns) if draft.is_usual else ""
    if reason:
        return Unsound(reason)
    if _asked_elsewhere(draft, subject, matches):
        return Unsound("Another condition of the query asks for the same value in the old way.")
    column = named(draft.query, draft.scope, _untreated(subject))
    treated = _treatment(subject)
    top = _top(matches)
    negated = isinstance(top.parent, exp.Not) or matches[0].negated
    start = f"{opening(top.parent if isinstance(top.parent, exp.Not) else top)} {column}{treated}"
    for match in matches:
        condition = _contains(match) if draft.is_usual else _is(match)
        if match.negated:
            condition = exp.Not(this=condition)
        match.node.replace(condition)
    if draft.is_usual:
        taken, other = (
            _sentence(start, "is", negated, patterns, ""),
            _sentence(start, "contains", negated, patterns, _FOLDED),
        )
    else:
        folded = _FOLDED if patterns[0].folded else ""
        taken, other = (
            _sentence(start, patterns[0].way, negated, patterns, folded),
            _sentence(start, "is", negated, patterns, folded),
        )
    return OtherSide(draft.query.tree, taken, other)


_NEGATED = {
    "is": "is not",
    "contains": "does not contain",
    "starts with": "does not start with",
    "ends with": "does not end with",
}


def _sentence(start: str, way: str, negated: bool, patterns: list[_Pattern], remark: str) -> str:
    texts = f" {'nor' if negated else 'or'} ".join(
        exp.Literal.string(each.value).sql("sqlite") for each in patterns
    )
    verb = _NEGATED[way] if negated else way
    return f"{start} {verb} {texts}{', ' * bool(remark)}{remark}."


def _untreated(subject: exp.Expr) -> exp.Expr:
    """Return the column behind what is done to its text before it is compared."""
    while isinstance(subject, exp.Lower | exp.Upper | exp.Trim | exp.Paren):
        subject = subject.this
    return subject


def _treatment(subject: exp.Expr) -> str:
    """Say what is done to a column's text before it is compared."""
    said = []
    while isinstance(subject, exp.Lower | exp.Upper | exp.Trim | exp.Paren):
        if isinstance(subject, exp.Lower):
            said.append("in small letters")
        elif isinstance(subject, exp.Upper):
            said.append("in capital letters")
        elif isinstance(subject, exp.Trim):
            said.append("without what is trimmed off its ends")
        subject = subject.this
    return f" ({', '.join(said)})" if said else ""


def _top(matches: list[_Match]) -> exp.Expr:
    """Return the condition that several matches are together."""
    top = matches[0].node
    while len(matches) > 1 and isinstance(top.parent, exp.Or | exp.Paren):
        top = top.parent
    return top


def _alternatives(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield a match and those of the same form and value that OR connects with it."""
    own = _with_escape(node)
    top = own
    while isinstance(top.parent, exp.Or | exp.Paren):
        top = top.parent
    members = list(_members(top))
    kind = type(node)
    subject = _subject(node)
    same = [
        each
        for each in members
        if isinstance(each.this if isinstance(each, exp.Escape) else each, kind)
        and _subject(each.this if isinstance(each, exp.Escape) else each) == subject
    ]
    # Where other conditions stand in the same OR, the match is one of several things asked for.
    return iter(same if len(same) == len(members) else [own])


def _members(node: exp.Expr) -> Iterator[exp.Expr]:
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Or):
        yield from _members(node.this)
        yield from _members(node.expression)
    else:
        yield node


def _with_escape(node: exp.Expr) -> exp.Expr:
    return node.parent if isinstance(node.parent, exp.Escape) else node


def _subject(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.EQ) and isinstance(node.this, exp.Literal):
        turned: exp.Expr = node.expression
        return turned
    return node.this if isinstance(node.this, exp.Expr) else None


def _read_match(node: exp.Expr) -> _Match | Unsound:
    inner = node.this if isinstance(node, exp.Escape) else node
    subject = _subject(inner)
    if subject is None:
        return Unsound("The comparison has no value.")
    negated = bool(inner.args.get("negate"))
    if isinstance(inner, exp.Like | exp.ILike | exp.Glob):
        escape = node.expression.name if isinstance(node, exp.Escape) else ""
        pattern = _read_pattern(inner, escape)
        if pattern is None:
            return Unsound("The pattern has gaps or blanks at its ends, which no whole text is.")
        if isinstance(subject, exp.Upper):
            pattern = _Pattern(pattern.value.upper(), pattern.way, pattern.folded)
        elif isinstance(subject, exp.Lower):
            pattern = _Pattern(pattern.value.lower(), pattern.way, pattern.folded)
        return _Match(node, subject, (pattern,), negated)
    if isinstance(inner, exp.In):
        values = inner.expressions
    else:
        values = [inner.this if subject is inner.expression else inner.expression]
    if not all(isinstance(each, exp.Literal) and each.is_string for each in values):
        return Unsound("The list has other things than texts in it.")
    patterns = tuple(_Pattern(each.name, "contains", False) for each in values)
    return _Match(node, subject, patterns, negated)


def _read_pattern(node: exp.Expr, escape: str) -> _Pattern | None:
    """Return what a pattern asks for; None where it has gaps, or is no part of a text."""
    glob = isinstance(node, exp.Glob)
    gap, others = ("*", "?[") if glob else ("%", "_")
    parts: list[str | None] = []
    characters = iter(node.expression.name)
    for each in characters:
        if each == escape:
            parts.append(next(characters, ""))
        elif each in others:
            return None
        else:
            parts.append(None if each == gap else each)
    ends = parts[:1] == [None], parts[-1:] == [None]
    while parts[:1] == [None]:
        del parts[0]
    while parts[-1:] == [None]:
        del parts[-1]
    if not parts or None in parts or True not in ends:
        return None
    value = "".join(each for each in parts if each is not None)
    if value != value.strip():
        return None
    way = {(True, True): "contains", (False, True): "starts with"}.get(ends, "ends with")
    return _Pattern(value, way, not glob)


def _contains(match: _Match) -> exp.Expr:
    """Return a condition that a text contains one of several values."""
    parts: list[exp.Expr] = []
    for pattern in match.patterns:
        text = re.sub(r"([\\%_])", r"\\\1", pattern.value)
        like: exp.Expr = exp.Like(
            this=match.subject.copy(), expression=exp.Literal.string(f"%{text}%")
        )
        if text != pattern.value:
            like = exp.Escape(this=like, expression=exp.Literal.string("\\"))
        parts.append(like)
    return _either(parts)


def _is(match: _Match) -> exp.Expr:
    """Return a condition that a text is a value, its letters compared as the pattern does."""
    [pattern] = match.patterns
    subject, value = match.subject.copy(), pattern.value
    if pattern.folded and not isinstance(subject, exp.Lower | exp.Upper) and _has_letters(value):
        subject, value = exp.Lower(this=subject), _lowered(value)
    return exp.EQ(this=subject, expression=exp.Literal.string(value))


def _has_letters(text: str) -> bool:
    return re.search("[A-Za-z]", text) is not None


def _lowered(text: str) -> str:
    """Return a text as SQLite's LOWER gives it, which leaves other letters than a to z alone."""
    return "".join(each.lower() if each.isascii() else each for each in text)


def _either(parts: list[exp.Expr]) -> exp.Expr:
    if len(parts) == 1:
        return parts[0]
    joined: exp.Expr = parts[0]
    for each in parts[1:]:
        joined = exp.Or(this=joined, expression=each)
    return exp.Paren(this=joined)


def _unwanted(draft: Draft, subject: exp.Expr, patterns: list[_Pattern]) -> str:
    """Return why a text that contains the value would not be what is asked for."""
    origin = draft.query.origin(draft.scope, _untreated(subject))
    if origin is not None and is_identifier(*origin):
        return "The column is a key, of whose values no part is asked for."
    if any(_DATE_OR_NUMBER.fullmatch(each.value) for each in patterns):
        return "The value is a date or a number that is kept as a text, and asked for as it is."
    select = draft.select
    if place_of(select) is Place.VALUE and not gives_one_row(select):
        return "A nested query that gives one value would give one of several."
    if gives_one_row(select) and _shows_single(select):
        return "The query shows values of one row beside what it computes of all."
    return ""


def _asked_elsewhere(draft: Draft, subject: exp.Expr, matches: list[_Match]) -> bool:
    """Say whether the same column is compared with one of the values in another place."""
    own = {id(node) for match in matches for node in match.node.walk()}
    wanted = draft.query.origin(draft.scope, _untreated(subject))
    values = {pattern.value for match in matches for pattern in match.patterns}
    return wanted is not None and any(
        id(node) not in own
        and isinstance(node, exp.EQ | exp.In | exp.Like)
        and any(
            isinstance(each, exp.Literal) and each.name.strip("%") in values
            for each in (node.this, node.args.get("expression"), *node.expressions)
        )
        and wanted
        in (
            draft.query.origin(scope, _untreated(each))
            for each in (node.this, node.args.get("expression"))
            if each is not None
        )
        for scope in draft.query.scopes
        for node in condition_nodes(scope)
    )


def _shows_single(select: exp.Select) -> bool:
    """Say whether a SELECT that gives one row shows a column outside its aggregates."""
    inside = {id(node) for each in aggregates_of(select) for node in each.walk()}
    return any(
        isinstance(node, exp.Column) and id(node) not in inside
        for item in select.expressions
        for node in own_nodes(select, item)
    )
