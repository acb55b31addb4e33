"""A reference query's result together with every other result that it allows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from specbridge_pipeline.comparison.acceptance import accept_bag, accept_in_order
from specbridge_pipeline.comparison.cells import ColumnTolerance, cells_agree, column_tolerances
from specbridge_pipeline.comparison.determinacy.analysis import open_on_data
from specbridge_pipeline.comparison.determinacy.chance_and_clock import chance_or_clock
from specbridge_pipeline.comparison.determinacy.findings import Finding
from specbridge_pipeline.comparison.matching import RowGroup
from specbridge_pipeline.databases.results import (
    Cell,
    FailureKind,
    Outcome,
    QueryFailure,
    QueryResult,
    Row,
)
from specbridge_pipeline.errors import (
    UndeterminedReferenceError,
    UnusableReferenceError,
    WorkerError,
)
from specbridge_pipeline.sql.cut import (
    ExtensionStatement,
    TopLevel,
    count_statement,
    distinct_rows_statement,
    extension_statement,
    leading_rows_statement,
    literal_count,
    split_top_level,
)
from specbridge_pipeline.sql.order_keys import aliases, bind_order_keys
from specbridge_pipeline.sql.parsing import parse_query, shorten

# Beyond this no table reaches, and the sum of a limit and an offset has to fit the engine.
_NO_LIMIT_FROM = 2**60
_MISSING_COLUMN = re.compile(r"no such column: (\S.*)$")


@dataclass(frozen=True, slots=True)
class ReferenceExtension:
    """All results that a reference query allows.

    Attributes:
        columns: The output column names.
        groups: Rows with the number of them that a result holds: one group of rows that every
            result holds, and one for each block of ties that LIMIT or OFFSET cuts through.
        tolerances: How far floats of each column reach.
        ordered_blocks: Blocks of tied rows in the order of the ORDER BY keys; None where the
            query gives no order.
        order_problem: Why there is no order, None where there is one.
    """

    columns: tuple[str, ...]
    groups: tuple[RowGroup, ...]
    tolerances: tuple[ColumnTolerance, ...]
    ordered_blocks: tuple[RowGroup, ...] | None
    order_problem: str | None

    @property
    def exact(self) -> bool:
        """Whether there is one result only: no cut goes through ties."""
        return all(group.whole for group in self.groups)

    @property
    def row_count(self) -> int:
        """How many rows every result has."""
        return sum(group.quota for group in self.groups)


@dataclass(frozen=True, slots=True)
class _KeyedRow:
    """A row with its ORDER BY keys and, for each key, its rank by the keys up to it."""

    cells: Row
    keys: Row
    ranks: Row


def build_reference(run: Callable[[str], Outcome], sql: str) -> ReferenceExtension:
    """Find all results that a reference query allows on a database.

    The query is run as it stands. Where it has an ORDER BY, the rows up to its cut, tied with it
    and shortly after it are fetched with their keys, and the query's own rows have to be one of
    the results that follow from them: otherwise the rewritten statement is not trusted.

    Args:
        run: Runs one statement on the database.
        sql: The reference query.

    Returns:
        The reference's extension.

    Raises:
        UnusableReferenceError: The query does not run, does not determine its result, or its ties
            cannot be found out.
        WorkerError: A worker was lost, which says nothing about the query.
    """
    query = parse_query(sql)
    where = shorten(sql)
    _require_determined(chance_or_clock(query), where)
    try:
        original = _result(run(sql), "the query")
        finding = open_on_data(run, sql, query, original=original)
        _require_determined(finding, where)
        extension = _build(run, original, split_top_level(query))
        if finding is not None and extension.ordered_blocks is not None:
            return replace(extension, ordered_blocks=None, order_problem=finding.explanation)
        return extension
    except UnusableReferenceError as error:
        if error.where is not None:
            raise
        raise UnusableReferenceError(error.what, where=where, advice=error.advice) from error


def _require_determined(finding: Finding | None, where: str) -> None:
    """Refuse a query whose rows are open; that only their order is open is no reason to."""
    if finding is not None and not finding.order_only:
        raise UndeterminedReferenceError(
            f"the query does not determine its result: {finding.explanation}",
            reason=finding.reason.value,
            where=where,
            advice="order what is cut or numbered by keys that tell rows apart, group by what is "
            "shown, and call neither random functions nor the clock",
        )


def _build(
    run: Callable[[str], Outcome], original: QueryResult, top: TopLevel
) -> ReferenceExtension:
    if top.limit is None and top.offset is None:
        return _uncut(run, original, top)
    limit = _count(run, top, top.limit) if top.limit is not None else None
    offset = max(0, _count(run, top, top.offset) if top.offset is not None else 0)
    if limit is not None and (limit < 0 or limit >= _NO_LIMIT_FROM):
        limit = None
    if limit == 0 or offset >= _NO_LIMIT_FROM:
        return _without_order(original, "the query keeps no rows")
    if limit is None and offset == 0:
        return _uncut(run, original, top)
    if not top.order:
        _require_harmless_cut(run, original, top, limit, offset)
        return _without_order(original, "the query has no ORDER BY")
    rows, complete = _keyed_rows(run, original, top, None if limit is None else offset + limit)
    return _cut_extension(original, rows, complete, limit, offset)


def _result(outcome: Outcome, what: str) -> QueryResult:
    if isinstance(outcome, QueryResult):
        return outcome
    if outcome.kind is FailureKind.WORKER_LOST:
        raise WorkerError(f"{what} lost its worker: {outcome.message}", advice="run it again")
    raise UnusableReferenceError(
        f"{what} gives no result: {outcome.kind.value}: {outcome.message}",
        advice="repair the query, or raise the limits under which references run",
    )


def _count(run: Callable[[str], Outcome], top: TopLevel, expression: exp.Expr) -> int:
    """Return a LIMIT's or OFFSET's value as the engine reads it."""
    literal = literal_count(expression)
    if literal is not None:
        return literal
    rows = _result(run(count_statement(top, expression)), "its LIMIT or OFFSET").rows
    value: Cell = rows[0][0] if rows else None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            value = None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int):
        raise UnusableReferenceError("its LIMIT or OFFSET is no integer", advice="write a number")
    return value


def _without_order(original: QueryResult, problem: str) -> ReferenceExtension:
    width = len(original.columns)
    rows = original.rows
    return ReferenceExtension(
        columns=original.columns,
        groups=(RowGroup(rows, len(rows)),) if rows else (),
        tolerances=column_tolerances(rows, width),
        ordered_blocks=None if rows else (),
        order_problem=problem if rows else None,
    )


def _uncut(
    run: Callable[[str], Outcome], original: QueryResult, top: TopLevel
) -> ReferenceExtension:
    """Return the extension of a query that keeps all its rows: as a bag its own result."""
    if not top.order:
        return _without_order(original, "the query has no ORDER BY")
    try:
        keyed, _ = _keyed_rows(run, original, top, None)
    except UnusableReferenceError as error:
        return _without_order(original, error.what)
    tolerances = column_tolerances(original.rows, len(original.columns))
    blocks = tuple(RowGroup(rows, len(rows)) for rows in _blocks(keyed))
    if sum(block.quota for block in blocks) != len(original.rows) or not (
        accept_in_order(blocks, tolerances, original.rows)[0].possible
    ):
        return _without_order(original, "the rows with their keys are not those of the query")
    rows = original.rows
    groups = (RowGroup(rows, len(rows)),) if rows else ()
    return ReferenceExtension(original.columns, groups, tolerances, blocks, None)


def _require_harmless_cut(
    run: Callable[[str], Outcome],
    original: QueryResult,
    top: TopLevel,
    limit: int | None,
    offset: int,
) -> None:
    """Refuse a cut without ORDER BY, unless it leaves out nothing or all rows are alike."""
    if offset == 0 and limit is not None:
        leading = _result(run(leading_rows_statement(top, limit + 1)), "the query without LIMIT")
        if len(leading.rows) <= limit:
            return
    elif not original.rows:
        return
    statement = distinct_rows_statement(top, len(original.columns))
    if len(_result(run(statement), "the query without LIMIT").rows) > 1:
        raise UnusableReferenceError(
            "the query does not determine its result: a LIMIT without ORDER BY cuts rows that "
            "are not alike",
            advice="order the rows, or drop the LIMIT",
        )


def _keyed_rows(
    run: Callable[[str], Outcome], original: QueryResult, top: TopLevel, end: int | None
) -> tuple[list[_KeyedRow], bool]:
    """Fetch the rows around a cut with their keys; say whether these are all rows there are."""
    substituted: frozenset[str] = frozenset()
    known = aliases(top.body)
    while True:
        # A cut by keys that DISTINCT would have to carry is refused above unless they are functions
        # of the output columns, and of an order by such keys more rows than the query's tell.
        keys = bind_order_keys(top.body, top.order, original.columns, substituted, carried=True)
        statement = extension_statement(top, keys, len(original.columns), end)
        outcome = run(statement.sql)
        missing = _missing_alias(outcome, known - substituted)
        if missing is None:
            result = _result(outcome, "the query with its ORDER BY keys")
            break
        substituted |= {missing}
    rows = [_keyed(row, statement) for row in result.rows]
    return rows, statement.fetched is None or len(rows) < statement.fetched


def _missing_alias(outcome: Outcome, known: frozenset[str]) -> str | None:
    if not isinstance(outcome, QueryFailure) or outcome.kind is not FailureKind.ERROR:
        return None
    found = _MISSING_COLUMN.search(outcome.message)
    name = found.group(1).strip().lower() if found else None
    return name if name in known else None


def _keyed(row: Row, statement: ExtensionStatement) -> _KeyedRow:
    ranks_from = statement.visible + statement.keys
    return _KeyedRow(
        row[: statement.visible], row[statement.visible : ranks_from], row[ranks_from:]
    )


def _cut_extension(
    original: QueryResult, rows: list[_KeyedRow], complete: bool, limit: int | None, offset: int
) -> ReferenceExtension:
    end = len(rows) if limit is None else min(offset + limit, len(rows))
    if offset >= end:
        if original.rows:
            raise _mistranslated()
        return _without_order(original, "the query keeps no rows")
    key_tolerances = column_tolerances(tuple(row.keys for row in rows), len(rows[0].keys))
    head, tail = _cut_ties(rows, offset, end, key_tolerances)
    if not complete and len(rows) - 1 in tail and _has_float(rows[end - 1].keys):
        raise UnusableReferenceError(
            "the keys of more than a thousand rows lie within tolerance of the cut's key: which "
            "rows are tied is undecided",
            advice="order by a key that tells rows apart",
        )
    window = range(offset, end)
    if head and tail and head & tail:
        if not _tied(rows[offset], rows[end - 1], key_tolerances):
            raise UnusableReferenceError(
                "keys that lie within tolerance of one another form a chain from the first row "
                "kept to the last: which rows are tied is undecided",
                advice="order by a key that tells rows apart",
            )
        head, tail = head | tail, set()
    middle = [place for place in window if place not in head and place not in tail]
    order_problem = None
    try:
        divided = _blocks([rows[at] for at in middle])
    except UnusableReferenceError as error:
        divided = [tuple(rows[at].cells for at in middle)]
        order_problem = error.what
    blocks = [_group(rows, head, window)] if head else []
    blocks += [RowGroup(cells, len(cells)) for cells in divided]
    if tail:
        blocks.append(_group(rows, tail, window))
    return _checked(original, blocks, order_problem)


def _cut_ties(
    rows: list[_KeyedRow], offset: int, end: int, tolerances: tuple[ColumnTolerance, ...]
) -> tuple[set[int], set[int]]:
    """Return the places tied with the first and with the last row kept, where a cut parts them."""
    head: set[int] = set()
    tail: set[int] = set()
    if offset:
        _require_clear_cut(rows, offset, offset, tolerances)
        head = {at for at, row in enumerate(rows) if _tied(row, rows[offset], tolerances)}
        if min(head) >= offset:
            head = set()
    if end < len(rows):
        _require_clear_cut(rows, end - 1, end, tolerances)
        tail = {at for at, row in enumerate(rows) if _tied(row, rows[end - 1], tolerances)}
        if max(tail) < end:
            tail = set()
    return head, tail


def _require_clear_cut(
    rows: list[_KeyedRow], place: int, cut: int, tolerances: tuple[ColumnTolerance, ...]
) -> None:
    """Refuse a cut through keys that differ by noise while later keys order some of the rows.

    Such ties are no blocks: a row that may stand anywhere among two others does not make these two
    interchangeable, and no quota says so.
    """
    row = rows[place]
    for index in range(len(tolerances)):
        near = [
            at
            for at, other in enumerate(rows)
            if (index == 0 or other.ranks[index - 1] == row.ranks[index - 1])
            and _keys_agree(other, row, index, tolerances)
        ]
        if near and near[0] < cut <= near[-1] and _entangled([rows[at] for at in near], index):
            raise _entangled_error()


def _entangled(rows: list[_KeyedRow], index: int) -> bool:
    """Say whether one key differs by noise among rows, some of which later keys order."""
    last: dict[Cell, set[Cell]] = {}
    for row in rows:
        last.setdefault(row.ranks[index], set()).add(row.ranks[-1])
    return len(last) > 1 and any(len(ranks) > 1 for ranks in last.values())


def _entangled_error() -> UnusableReferenceError:
    return UnusableReferenceError(
        "an ORDER BY key differs by rounding noise between rows that a later key orders: which "
        "rows are tied is undecided",
        advice="order by a key that tells rows apart",
    )


def _group(rows: list[_KeyedRow], places: set[int], window: range) -> RowGroup:
    cells = tuple(rows[place].cells for place in sorted(places))
    return RowGroup(cells, sum(place in window for place in places))


def _checked(
    original: QueryResult, blocks: list[RowGroup], order_problem: str | None
) -> ReferenceExtension:
    """Put an extension together and require that the query's own rows are one of its results."""
    kept = tuple(row for block in blocks if block.whole for row in block.rows)
    groups = [block for block in blocks if not block.whole]
    if kept:
        groups.insert(0, RowGroup(kept, len(kept)))
    everything = tuple(row for block in blocks for row in block.rows)
    tolerances = column_tolerances(everything, len(original.columns))
    extension = ReferenceExtension(
        columns=original.columns,
        groups=tuple(groups),
        tolerances=tolerances,
        ordered_blocks=tuple(blocks) if order_problem is None else None,
        order_problem=order_problem,
    )
    if extension.row_count != len(original.rows):
        raise _mistranslated()
    bag = accept_bag(extension.groups, tolerances, original.rows)
    order, _ = accept_in_order(tuple(blocks), tolerances, original.rows)
    if not (bag.decided and order.decided):
        raise UnusableReferenceError(
            "the result is too large to be compared with itself",
            advice="use a query with fewer rows or fewer ties",
        )
    if not (bag.possible and order.possible):
        raise _mistranslated()
    return extension


def _mistranslated() -> UnusableReferenceError:
    return UnusableReferenceError(
        "the query's rows do not agree with its rewriting that shows the ties at its cut",
        advice="report the query: the rewriting changes its meaning, or its result varies",
    )


def _has_float(keys: Row) -> bool:
    return any(isinstance(key, float) for key in keys)


def _tied(one: _KeyedRow, other: _KeyedRow, tolerances: tuple[ColumnTolerance, ...]) -> bool:
    """Say whether the order of two rows is open.

    Keys that differ by noise leave it open whatever the later keys say, since the keys might as
    well differ the other way; later keys count where the earlier ones are the same.
    """
    for index in range(len(tolerances)):
        if one.ranks[index] == other.ranks[index]:
            continue
        # The rank also differs where an earlier key does, but then this line is not reached.
        return _keys_agree(one, other, index, tolerances)
    return True


def _keys_agree(
    one: _KeyedRow, other: _KeyedRow, index: int, tolerances: tuple[ColumnTolerance, ...]
) -> bool:
    """Say whether two rows that agree in the earlier keys have the same key but for noise."""
    if one.ranks[index] == other.ranks[index]:
        return True
    left, right, tolerance = one.keys[index], other.keys[index], tolerances[index]
    return cells_agree(left, tolerance, right, None) or cells_agree(left, None, right, tolerance)


def _blocks(rows: list[_KeyedRow]) -> list[tuple[Row, ...]]:
    """Divide rows in key order into blocks whose rows are tied with the block's first.

    Raises UnusableReferenceError where noise in a key and a later key leave no such blocks.
    """
    if not rows:
        return []
    tolerances = column_tolerances(tuple(row.keys for row in rows), len(rows[0].keys))
    return [tuple(row.cells for row in block) for block in _divide(rows, 0, tolerances)]


def _divide(
    rows: list[_KeyedRow], index: int, tolerances: tuple[ColumnTolerance, ...]
) -> list[list[_KeyedRow]]:
    if index == len(tolerances):
        return [rows]
    blocks: list[list[_KeyedRow]] = []
    start = 0
    for at in range(1, len(rows) + 1):
        if at < len(rows) and (_keys_agree(rows[at], rows[start], index, tolerances)):
            continue
        part = rows[start:at]
        if part[0].ranks[index] == part[-1].ranks[index]:
            blocks += _divide(part, index + 1, tolerances)
        elif _entangled(part, index):
            raise _entangled_error()
        else:
            blocks.append(part)
        start = at
    return blocks
