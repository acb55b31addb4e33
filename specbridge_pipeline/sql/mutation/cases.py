"""The branches of CASE, and IIF, which is a CASE of one branch."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.statement import Span, Statement

_ENDS = frozenset({TokenType.WHEN, TokenType.ELSE})


def case_branches(statement: Statement) -> Iterator[Change]:
    """Drop a branch, exchange the values or the order of two, or change what is left."""
    for start, stop in statement.partners.items():
        if statement.kind(start) is not TokenType.CASE or stop >= len(statement.tokens):
            continue
        inside = Span(start + 1, stop)
        marks = [at for at in statement.level(inside) if statement.kind(at) in _ENDS]
        parts = [Span(at, end) for at, end in zip(marks, [*marks[1:], stop], strict=True)]
        branches = [part for part in parts if statement.kind(part.start) is TokenType.WHEN]
        otherwise = next(
            (part for part in parts if statement.kind(part.start) is TokenType.ELSE), None
        )
        yield from _changes_of_branches(statement, branches)
        if otherwise is not None:
            yield Change(MutationKind.CASE_BRANCH, (statement.drop(otherwise),))
            value = Span(otherwise.start + 1, otherwise.stop)
            exchanged = statement.exchange(_value(statement, branches[-1]), value)
            yield Change(MutationKind.CASE_BRANCH, exchanged)
        else:
            yield Change(MutationKind.CASE_BRANCH, (statement.before(stop, "ELSE 0 "),))
    for index, arguments in statement.calls():
        if statement.word(index) in ("IIF", "IF") and len(arguments) == 3:
            exchanged = statement.exchange(arguments[1], arguments[2])
            yield Change(MutationKind.CASE_BRANCH, exchanged)


def _changes_of_branches(statement: Statement, branches: list[Span]) -> Iterator[Change]:
    for at, branch in enumerate(branches):
        if len(branches) > 1:
            yield Change(MutationKind.CASE_BRANCH, (statement.drop(branch),))
        if at:
            before = branches[at - 1]
            values = statement.exchange(_value(statement, before), _value(statement, branch))
            yield Change(MutationKind.CASE_BRANCH, values)
            yield Change(MutationKind.CASE_BRANCH, statement.exchange(before, branch))


def _value(statement: Statement, branch: Span) -> Span:
    then = next(at for at in statement.level(branch) if statement.kind(at) is TokenType.THEN)
    return Span(then + 1, branch.stop)
