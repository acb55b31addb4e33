"""The matching against the definition, by enumeration on small results."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product

import apsw
from hypothesis import given, settings
from hypothesis import strategies as st

from specbridge_pipeline.comparison.acceptance import accept_bag
from specbridge_pipeline.comparison.cells import cell_equal, cells_agree, reach_of
from specbridge_pipeline.comparison.disjointness import disjoint
from specbridge_pipeline.comparison.reference import ReferenceExtension, build_reference
from specbridge_pipeline.comparison.row_groups import RowGroup
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.results import Cell, Outcome, QueryResult, Row
from specbridge_pipeline.errors import UnusableReferenceError

NOISE = 1e-13
CELLS = st.sampled_from([None, 0, 1, 1.0, 1.0 + NOISE, 2.0, "a", "1"])
ROWS = st.tuples(CELLS, CELLS)


def runner(rows: list[tuple[Row, Row]]) -> tuple[apsw.Connection, object]:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (a, b, k, l)")
    connection.executemany(
        "INSERT INTO t VALUES (?, ?, ?, ?)", [(*row, *keys) for row, keys in rows]
    )

    def run(sql: str) -> Outcome:
        found = tuple(connection.execute(sql))
        return QueryResult(("a", "b"), (None, None), found, 0.0)

    return connection, run


def result(rows: tuple[Row, ...]) -> QueryResult:
    return QueryResult(("a", "b"), (None, None), rows, 0.0)


def before(one: Row, other: Row) -> bool:
    """Say whether keys may come before others: equal up to noise, or smaller; ascending."""
    for left, right in zip(one, other, strict=True):
        assert isinstance(left, int | float)
        assert isinstance(right, int | float)
        if left == right:
            continue
        return left < right or abs(left - right) < 1e-10
    return True


def legal_windows(
    rows: list[tuple[Row, Row]], limit: int, offset: int
) -> Iterator[tuple[Row, ...]]:
    """Yield what each legal order of the rows shows under the limit."""
    for order in permutations(rows):
        if all(
            before(order[at][1], order[later][1])
            for at in range(len(order))
            for later in range(at + 1, len(order))
        ):
            end = len(order) if limit < 0 else offset + limit
            yield tuple(row for row, _ in order[offset:end])


def rows_equal(reference: Row, candidate: Row) -> bool:
    return all(map(cell_equal, reference, candidate))


def bag_equal(reference: tuple[Row, ...], candidate: tuple[Row, ...]) -> bool:
    return len(reference) == len(candidate) and any(
        all(map(rows_equal, order, candidate)) for order in permutations(reference)
    )


def entangled(rows: list[tuple[Row, Row]]) -> bool:
    """Say whether the first key differs by noise between rows and the second orders some."""
    noisy = {keys for _, keys in rows if isinstance(keys[0], float)}
    firsts = [first for first, _ in noisy]
    return len(set(firsts)) > 1 and len(firsts) > len(set(firsts))


KEYS = st.tuples(
    st.sampled_from([1, 2, 3.0, 3.0 + NOISE, 3.0 + 2 * NOISE]), st.sampled_from([0, 1])
)


@settings(max_examples=700, deadline=None)
@given(
    rows=st.lists(st.tuples(ROWS, KEYS), min_size=1, max_size=5),
    limit=st.integers(-1, 5),
    offset=st.integers(0, 4),
    data=st.data(),
)
def test_acceptance_is_what_some_legal_order_shows(
    rows: list[tuple[Row, Row]], limit: int, offset: int, data: st.DataObject
) -> None:
    _, run = runner(rows)
    sql = f"SELECT a, b FROM t ORDER BY k, l LIMIT {limit} OFFSET {offset}"
    problem = ""
    try:
        reference = build_reference(run, sql)  # type: ignore[arg-type]
    except UnusableReferenceError as error:
        problem = error.what
    if problem:
        assert "undecided" in problem
        assert entangled(rows)
        return
    windows = list(legal_windows(rows, limit, offset))
    size = reference.row_count
    pool = [row for row, _ in rows]
    candidate = tuple(data.draw(st.permutations(pool)))[:size]
    if candidate and data.draw(st.booleans()):
        candidate = (data.draw(ROWS), *candidate[1:])
    expected = any(bag_equal(window, candidate) for window in windows)
    assert (compare(reference, result(candidate)).kind is VerdictKind.EQUAL) is expected
    in_order = any(
        len(window) == len(candidate) and all(map(rows_equal, window, candidate))
        for window in windows
    )
    ordered = compare(reference, result(candidate), ordered=True)
    if ordered.kind is VerdictKind.UNDECIDED:
        assert entangled(rows)
        return
    assert (ordered.kind is VerdictKind.EQUAL) is in_order


@st.composite
def references(draw: st.DrawFn, cells: st.SearchStrategy[Cell]) -> ReferenceExtension:
    groups: list[RowGroup] = []
    for _ in range(draw(st.integers(1, 3))):
        rows = tuple(draw(st.lists(st.tuples(cells, cells), max_size=3)))
        groups.append(RowGroup(rows, draw(st.integers(0, len(rows)))))
    return ReferenceExtension(("a", "b"), tuple(groups), None, "none")


def bags(reference: ReferenceExtension) -> Iterator[tuple[Row, ...]]:
    for chosen in product(*(combinations(group.rows, group.quota) for group in reference.groups)):
        yield tuple(row for rows in chosen for row in rows)


@settings(max_examples=500, deadline=None)
@given(reference=references(CELLS), data=st.data())
def test_any_groups_and_quotas(reference: ReferenceExtension, data: st.DataObject) -> None:
    choice = data.draw(st.sampled_from(list(bags(reference))))
    candidate = tuple(data.draw(st.permutations(choice)))
    if candidate and data.draw(st.booleans()):
        candidate = (data.draw(ROWS), *candidate[1:])
    expected = any(bag_equal(bag, candidate) for bag in bags(reference))
    found = accept_bag(reference.groups, candidate, 2)
    assert found.decided
    assert found.possible is expected


EXACT = st.sampled_from([None, 0, 1, "a"])


@settings(max_examples=500, deadline=None)
@given(a=references(EXACT), b=references(EXACT))
def test_disjoint_is_that_no_bag_is_accepted_for_both(
    a: ReferenceExtension, b: ReferenceExtension
) -> None:
    ours = {tuple(sorted(map(repr, bag))) for bag in bags(a)}
    theirs = {tuple(sorted(map(repr, bag))) for bag in bags(b)}
    assert disjoint(a, b).disjoint is not bool(ours & theirs)


@settings(max_examples=500, deadline=None)
@given(
    a=references(st.sampled_from([1, 2, 1.0, 1.0 + 1e-9, 1.0 + 2e-7, 1.0 + 1e-5])),
    b=references(st.sampled_from([1, 2, 1.0, 1.0 + 1e-9, 1.0 + 2e-7, 1.0 + 1e-5])),
    widen=st.sampled_from([1.0, 1000.0]),
)
def test_disjoint_adds_and_widens_both_tolerances(
    a: ReferenceExtension, b: ReferenceExtension, widen: float
) -> None:
    def agree(one: Row, other: Row) -> bool:
        return all(
            cells_agree(left, reach_of(left, 0.0, widen), right, reach_of(right, 0.0, widen))
            for left, right in zip(one, other, strict=True)
        )

    common = any(
        len(ours) == len(theirs)
        and any(all(map(agree, ours, order)) for order in permutations(theirs))
        for ours in bags(a)
        for theirs in bags(b)
    )
    assert disjoint(a, b, widen=widen).disjoint is not common
