"""LIMIT and OFFSET that cut through tied rows, and subqueries of several rows for one value."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from specbridge_pipeline.comparison.determinacy.asking import Asker, UnansweredError
from specbridge_pipeline.comparison.determinacy.findings import Finding, Reason
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.sql.aggregates import gives_one_row
from specbridge_pipeline.sql.cut import TopLevel, literal_count, split_top_level
from specbridge_pipeline.sql.emission import emit
from specbridge_pipeline.sql.order_keys import OrderKey, aliases, bind_order_keys
from specbridge_pipeline.sql.parsing import shorten
from specbridge_pipeline.sql.places import Place, place_of, used_outputs
from specbridge_pipeline.sql.tie_questions import function_question, tie_question

_NO_LIMIT_FROM = 2**60


class KeyOutsideDistinctError(Exception):
    """An ORDER BY key is no function of what DISTINCT keeps of a row.

    Args:
        message: Which key.
    """

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


def concerns(query: exp.Query) -> bool:
    """Say whether a cut of a query may leave its result open.

    Args:
        query: A SELECT or set operation inside a statement.

    Returns:
        True for a LIMIT or OFFSET, and for a query of perhaps several rows in the place of one
        value. Ties at the top are no concern: there, each of the results is accepted.
    """
    place = place_of(query)
    if place is Place.EXISTENCE or gives_one_row(query):
        return False
    if place is Place.VALUE:
        return True
    if not _is_limited(query):
        return False
    if place is Place.TOP:
        by_lost_key = isinstance(query, exp.Select) and bool(query.args.get("distinct"))
        return query.args.get("order") is None or by_lost_key
    return True


def concerns_under_collations(_: exp.Query) -> bool:
    """Say that no collation makes a cut a concern: ties are those of the query's own order."""
    return False


def find(asker: Asker, query: exp.Query) -> Finding | None:
    """Count whether a cut goes through tied rows that differ in what is used afterwards.

    Args:
        asker: Asks the database.
        query: A query that `concerns` names.

    Returns:
        The finding, None where the rows tied at the cut are alike or all on one side of it.

    Raises:
        UnansweredError: It cannot be found out.
    """
    place = place_of(query)
    _refuse_recursion(query)
    start, end = cut_places(asker, query)
    cuts = tuple(sorted({cut for cut in (start, end) if cut}))
    if not cuts or end == 0:
        return None
    names = asker.names(query)
    found = used_outputs(query, names)
    used = frozenset(range(len(names))) if found is None else found
    if not used:
        return None

    ordered = query.args.get("order") is not None

    def question(keys: tuple[OrderKey, ...]) -> str:
        if place is Place.TOP and ordered:
            # Which of the tied rows are taken is no fault at the top, but the keys must be known.
            return "SELECT 0"
        return tie_question(query, keys, len(names), used, cuts, asker.engine)

    shown = shorten(emit(query, asker.engine))
    try:
        if not holds_with_keys(asker, query, names, question):
            return None
    except KeyOutsideDistinctError as error:
        return Finding(Reason.ORDER_KEY_OUTSIDE_DISTINCT, f"{error.message}: {shown}")
    if place is Place.TOP:
        return Finding(
            Reason.CUT_WITHOUT_ORDER, "a LIMIT without ORDER BY cuts rows that are not alike"
        )
    if not _is_limited(query) and not ordered:
        return Finding(
            Reason.SEVERAL_ROWS_FOR_A_VALUE,
            f"a subquery in the place of one value has several rows that are not alike: {shown}",
        )
    if not ordered:
        return Finding(
            Reason.SUBQUERY_CUT_WITHOUT_ORDER,
            f"a subquery has a LIMIT without ORDER BY that cuts rows which are not alike: {shown}",
        )
    return Finding(
        Reason.SUBQUERY_CUT_TIES,
        f"a subquery's LIMIT cuts through tied rows that are not alike: {shown}",
    )


def cut_places(asker: Asker, query: exp.Query) -> tuple[int, int | None]:
    """Return between which rows a query is cut.

    Args:
        asker: Asks the database, where a limit is more than a number.
        query: The query.

    Returns:
        How many rows OFFSET leaves out, and after which row, counted from 1, LIMIT cuts; None
        for no limit. In the place of one value the first row is taken.

    Raises:
        UnansweredError: The limit's expression does not run.
    """
    limit = _count(asker, query, query.args.get("limit"))
    start = max(0, _count(asker, query, query.args.get("offset")) or 0)
    if limit is not None and (limit < 0 or limit >= _NO_LIMIT_FROM):
        limit = None
    if place_of(query) is Place.VALUE:
        limit = 1 if limit is None else min(limit, 1)
    return start, None if limit is None else start + limit


def _count(asker: Asker, query: exp.Query, part: exp.Expr | None) -> int | None:
    if part is None:
        return None
    expression = part.expression
    if not isinstance(expression, exp.Expr):
        raise UnansweredError("its limit is no expression")
    literal = literal_count(expression)
    if literal is not None:
        return literal
    value = asker.number(query, f"SELECT ({emit(expression.unnest(), asker.engine)})")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int):
        raise UnansweredError("its limit is no whole number")
    return value


def holds_with_keys(
    asker: Asker,
    query: exp.Query,
    names: tuple[str, ...],
    question: Callable[[tuple[OrderKey, ...]], str],
) -> bool:
    """Ask a question that needs the query's ORDER BY keys.

    Whether a name in a key means a column or an alias only the engine knows, so it is asked with
    the column first.

    Args:
        asker: Asks the database.
        query: The query, its ORDER BY included.
        names: Its output names.
        question: Writes the question with the bound keys.

    Returns:
        The answer.

    Raises:
        UnansweredError: The question does not run either way, or a key cannot be bound.
        KeyOutsideDistinctError: A key is no function of what DISTINCT keeps.
    """
    top = split_top_level(query)
    known = aliases(top.body)
    substituted: frozenset[str] = frozenset()
    while True:
        try:
            keys = _bound(top, names, substituted, asker, query)
            return asker.holds(query, question(keys))
        except UnansweredError as error:
            missing = error.missing_column
            if missing not in known - substituted:
                raise
            substituted |= {missing}


def _bound(
    top: TopLevel,
    names: tuple[str, ...],
    substituted: frozenset[str],
    asker: Asker,
    query: exp.Query,
) -> tuple[OrderKey, ...]:
    """Bind the keys; those that DISTINCT would have to carry, if on the data it can."""
    try:
        return bind_order_keys(top.body, top.order, names, substituted)
    except UnusableReferenceError as error:
        if not isinstance(query, exp.Select) or not query.args.get("distinct"):
            raise UnansweredError(error.what) from error
        refusal = KeyOutsideDistinctError(error.what)
    try:
        keys = bind_order_keys(top.body, top.order, names, substituted, carried=True)
    except UnusableReferenceError as error:
        raise UnansweredError(error.what) from error
    if asker.holds(query, function_question(query, keys, len(names), asker.engine)):
        raise refusal
    return keys


def _is_limited(query: exp.Query) -> bool:
    return query.args.get("limit") is not None or query.args.get("offset") is not None


def _refuse_recursion(query: exp.Query) -> None:
    """Refuse to take the limit off a recursion: without it, it may never end."""
    around: exp.Expr | None = query
    while around is not None:
        if isinstance(around, exp.CTE):
            name = around.alias.lower()
            if any(table.name.lower() == name for table in query.find_all(exp.Table)):
                raise UnansweredError("it is the limit of a recursion")
        around = around.parent
