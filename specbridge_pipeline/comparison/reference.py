"""A reference query's result together with every other result that it allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from specbridge_pipeline.comparison.acceptance import accept_bag, accept_in_order
from specbridge_pipeline.comparison.determinacy.analysis import open_on_data
from specbridge_pipeline.comparison.determinacy.chance_and_clock import chance_or_clock
from specbridge_pipeline.comparison.determinacy.findings import Finding
from specbridge_pipeline.comparison.measured_sizes import ResultSizes, keyed_rows, result_sizes
from specbridge_pipeline.comparison.row_groups import RowGroup
from specbridge_pipeline.comparison.tied_rows import (
    KeyedRow,
    blocks_of,
    cut_ties,
    group_of,
    tied,
)
from specbridge_pipeline.databases.columnar_rows import by_column_if_many
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import (
    Cell,
    FailureKind,
    Outcome,
    QueryFailure,
    QueryResult,
)
from specbridge_pipeline.errors import (
    UndeterminedReferenceError,
    UnusableReferenceError,
    WorkerError,
)
from specbridge_pipeline.sql.cut import (
    TopLevel,
    count_statement,
    extension_statement,
    literal_count,
    split_top_level,
)
from specbridge_pipeline.sql.order_keys import aliases, bind_order_keys
from specbridge_pipeline.sql.parsing import parse_query, shorten

# Beyond this no table reaches, and the sum of a limit and an offset has to fit the engine.
_NO_LIMIT_FROM = 2**60


@dataclass(frozen=True, slots=True)
class ReferenceExtension:
    """All results that a reference query allows.

    Attributes:
        columns: The output column names.
        groups: Rows with the number of them that a result holds: one group of rows that every
            result holds, and one for each block of ties that LIMIT or OFFSET cuts through.
        ordered_blocks: Blocks of tied rows in the order of the ORDER BY keys; None where the
            query gives no order.
        order_problem: Why there is no order, None where there is one.
    """

    columns: tuple[str, ...]
    groups: tuple[RowGroup, ...]
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


def build_reference(
    run: Callable[[str], Outcome], sql: str, engine: Engine = Engine.SQLITE
) -> ReferenceExtension:
    """Find all results that a reference query allows on a database.

    The query is run as it stands. Where it has an ORDER BY, the rows up to its cut, tied with it
    and shortly after it are fetched with their keys, and the query's own rows have to be one of
    the results that follow from them: otherwise the rewritten statement is not trusted.

    Args:
        run: Runs one statement on the database.
        sql: The reference query.
        engine: The engine that runs it.

    Returns:
        The reference's extension.

    Raises:
        UnusableReferenceError: The query does not run, does not determine its result, or its ties
            cannot be found out.
        WorkerError: A worker was lost, which says nothing about the query.
    """
    query = parse_query(sql, engine)
    where = shorten(sql)
    _require_determined(chance_or_clock(query, engine), where)
    try:
        original = _result(run(sql), "the query")
        finding = open_on_data(run, sql, query, engine, original=original)
        _require_determined(finding, where)
        extension = _build(run, original, split_top_level(query, engine))
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
        # The analysis has refused a cut that leaves out rows which are not alike.
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


def _without_order(
    original: QueryResult, problem: str, sizes: ResultSizes | None = None
) -> ReferenceExtension:
    rows = original.contents
    magnitudes = tuple(map(sizes.of, rows)) if sizes is not None else ()
    return ReferenceExtension(
        columns=original.columns,
        groups=(RowGroup(rows, len(rows), magnitudes),) if rows else (),
        ordered_blocks=None if rows else (),
        order_problem=problem if rows else None,
    )


def _uncut(
    run: Callable[[str], Outcome], original: QueryResult, top: TopLevel
) -> ReferenceExtension:
    """Return the extension of a query that keeps all its rows: as a bag its own result."""
    sizes = result_sizes(run, original, top)
    if not top.order:
        return _without_order(original, "the query has no ORDER BY", sizes)
    try:
        keyed, _ = _keyed_rows(run, original, top, None)
    except UnusableReferenceError as error:
        return _without_order(original, error.what, sizes)
    blocks = tuple(group_of(rows, len(rows)) for rows in blocks_of(keyed))
    if sum(block.quota for block in blocks) != original.row_count or not (
        accept_in_order(blocks, original.contents, len(original.columns))[0].possible
    ):
        problem = "the rows with their keys are not those of the query"
        return _without_order(original, problem, sizes)
    return replace(_without_order(original, "", sizes), ordered_blocks=blocks, order_problem=None)


def _keyed_rows(
    run: Callable[[str], Outcome], original: QueryResult, top: TopLevel, end: int | None
) -> tuple[list[KeyedRow], bool]:
    """Fetch the rows around a cut with their keys; say whether these are all rows there are."""
    substituted: frozenset[str] = frozenset()
    known = aliases(top.body)
    while True:
        # A cut by keys that DISTINCT would have to carry is refused above unless they are functions
        # of the output columns, and of an order by such keys more rows than the query's tell.
        keys = bind_order_keys(
            top.body, top.order, original.columns, substituted, top.engine, carried=True
        )
        statement = extension_statement(top, keys, len(original.columns), end)
        outcome = run(statement.sql)
        missing = _missing_alias(outcome, known - substituted, top)
        if missing is None:
            break
        substituted |= {missing}
    result = _result(outcome, "the query with its ORDER BY keys")
    rows = keyed_rows(run, original, top, keys, end, result)
    return rows, statement.fetched is None or len(rows) < statement.fetched


def _missing_alias(outcome: Outcome, known: frozenset[str], top: TopLevel) -> str | None:
    if not isinstance(outcome, QueryFailure) or outcome.kind is not FailureKind.ERROR:
        return None
    found = top.rules.missing_column.search(outcome.message)
    name = found.group(1).strip().lower() if found else None
    return name if name in known else None


def _cut_extension(
    original: QueryResult, rows: list[KeyedRow], complete: bool, limit: int | None, offset: int
) -> ReferenceExtension:
    end = len(rows) if limit is None else min(offset + limit, len(rows))
    if offset >= end:
        if original.row_count:
            raise _mistranslated()
        return _without_order(original, "the query keeps no rows")
    head, tail = cut_ties(rows, offset, end)
    if not complete and len(rows) - 1 in tail and any(rows[end - 1].key_reaches):
        raise UnusableReferenceError(
            "the keys of more than a thousand rows lie within tolerance of the cut's key: which "
            "rows are tied is undecided",
            advice="order by a key that tells rows apart",
        )
    window = range(offset, end)
    if head and tail and head & tail:
        if not tied(rows[offset], rows[end - 1]):
            raise UnusableReferenceError(
                "keys that lie within tolerance of one another form a chain from the first row "
                "kept to the last: which rows are tied is undecided",
                advice="order by a key that tells rows apart",
            )
        head, tail = head | tail, set()
    middle = [place for place in window if place not in head and place not in tail]
    order_problem = None
    try:
        divided = blocks_of([rows[at] for at in middle])
    except UnusableReferenceError as error:
        divided = [[rows[at] for at in middle]]
        order_problem = error.what
    blocks = [_group(rows, head, window)] if head else []
    blocks += [group_of(block, len(block)) for block in divided]
    if tail:
        blocks.append(_group(rows, tail, window))
    return _checked(original, blocks, order_problem)


def _group(rows: list[KeyedRow], places: set[int], window: range) -> RowGroup:
    tied_rows = [rows[place] for place in sorted(places)]
    return group_of(tied_rows, sum(place in window for place in places))


def _checked(
    original: QueryResult, blocks: list[RowGroup], order_problem: str | None
) -> ReferenceExtension:
    """Put an extension together and require that the query's own rows are one of its results."""
    kept = [block for block in blocks if block.whole]
    groups = [block for block in blocks if not block.whole]
    if kept:
        rows = tuple(row for block in kept for row in block.rows)
        magnitudes = tuple(row for block in kept for row in block.magnitudes)
        held = by_column_if_many(rows, len(original.columns))
        groups.insert(0, RowGroup(held, len(rows), magnitudes))
    extension = ReferenceExtension(
        columns=original.columns,
        groups=tuple(groups),
        ordered_blocks=tuple(blocks) if order_problem is None else None,
        order_problem=order_problem,
    )
    if extension.row_count != original.row_count:
        raise _mistranslated()
    bag = accept_bag(extension.groups, original.contents, len(original.columns))
    order, _ = accept_in_order(tuple(blocks), original.contents, len(original.columns))
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
