"""Functions other than aggregates and window functions, and their arguments."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot.tokenizer_core import TokenType

from specbridge_pipeline.sql.mutation.grouping import without_item
from specbridge_pipeline.sql.mutation.kinds import Change, MutationKind
from specbridge_pipeline.sql.mutation.statement import Span, Statement

_OTHERS = {
    "UPPER": ("LOWER",),
    "LOWER": ("UPPER",),
    "LTRIM": ("RTRIM",),
    "RTRIM": ("LTRIM",),
    "TRIM": ("LTRIM",),
    "ROUND": ("ABS",),
    "ABS": ("ROUND",),
    "DATE": ("DATETIME",),
    "DATETIME": ("DATE",),
    "TIME": ("DATE",),
    "JULIANDAY": ("UNIXEPOCH",),
    "UNIXEPOCH": ("JULIANDAY",),
    "LENGTH": ("UNICODE",),
    "FLOOR": ("CEIL",),
    "CEIL": ("FLOOR",),
    "MIN": ("MAX",),
    "MAX": ("MIN",),
    "TYPEOF": ("QUOTE",),
    "HEX": ("QUOTE",),
    "SIGN": ("ABS",),
    "SQRT": ("ABS",),
}
_COUNTED_ELSEWHERE = frozenset(
    {"COUNT", "SUM", "AVG", "TOTAL", "CAST", "COALESCE", "IFNULL", "NULLIF", "IIF", "IF"}
)
_SEVERAL_ONLY = frozenset({"MIN", "MAX"})


def functions(statement: Statement) -> Iterator[Change]:
    """Call another function of the kind, exchange two arguments, or leave one out."""
    for index, arguments in statement.calls():
        name = statement.word(index)
        if name in _COUNTED_ELSEWHERE or not arguments:
            continue
        if name in _SEVERAL_ONLY and len(arguments) < 2:
            continue
        for other in _OTHERS.get(name, ()):
            edit = statement.replace(Span(index, index + 1), other)
            yield Change(MutationKind.FUNCTION, (edit,))
        if len(arguments) > 1:
            exchanged = statement.exchange(arguments[-2], arguments[-1])
            yield Change(MutationKind.FUNCTION, exchanged)
            last = without_item(statement, arguments, len(arguments) - 1)
            yield Change(MutationKind.FUNCTION, (last,))
        elif name in _OTHERS and statement.kind(arguments[0].start) is not TokenType.DISTINCT:
            call = Span(index, statement.partners[index + 1] + 1)
            edit = statement.replace(call, f"({statement.written(arguments[0])})")
            yield Change(MutationKind.FUNCTION, (edit,))
