"""How long two results of a million rows take to compare, against Python's own counting of rows.

Run it with `make bench`. Results are in memory, as they arrive from a worker: what their way from
there takes is a table of its own. Each figure is a median of several rounds; ratios are taken
within the same run. The floor can only say whether rows are the same: it knows no tolerance, and
gives no reason.
"""

from __future__ import annotations

import random
import resource
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial

from timing import median_seconds

from specbridge_pipeline.comparison.reference import ReferenceExtension
from specbridge_pipeline.comparison.row_groups import RowGroup
from specbridge_pipeline.comparison.verdict import VerdictKind, compare
from specbridge_pipeline.databases.columnar_rows import ColumnarRows
from specbridge_pipeline.databases.frames import HEADER_BYTES, decode_body, encode_frame
from specbridge_pipeline.databases.reply_rows import unpacked_rows, with_packed_rows
from specbridge_pipeline.databases.results import QueryResult, Row

ROWS = 1_000_000
ROUNDS = 3
COLUMNS = ("a", "b", "c")
_NOISE = 1 + 1e-13


def main() -> None:
    """Print the tables."""
    source = random.Random(20261003)
    floats: list[Row] = [(at, f"name {at % 5_000}", source.random() * 1e3) for at in range(ROWS)]
    exact: list[Row] = [(at, name, int(value * 1e6)) for at, name, value in floats]  # type: ignore[operator, arg-type]
    groups: list[Row] = [(at % 50, name, value) for at, name, value in floats]  # type: ignore[operator]
    texts: list[Row] = [(f"text {at}", name, at) for at, name, _ in floats]
    floor = median_seconds(lambda: Counter(exact) == Counter(_copied(exact)), ROUNDS)
    print(f"{ROWS:,} rows of three columns{'':<14}{'seconds':>9}{'ratio':>8}")
    _show("counted by Python, same order", floor, floor)
    noisy = partial(_noisy, source=source)
    shuffled = partial(_shuffled, source=source)
    changes: list[tuple[str, list[Row], Callable[[list[Row]], list[Row]]]] = [
        ("exact, same order", exact, _copied),
        ("exact, other order", exact, shuffled),
        ("different texts, other order", texts, shuffled),
        ("floats with noise, other order", floats, noisy),
        ("few groups, floats with noise", groups, noisy),
    ]
    for name, rows, change in changes:
        expected, others = _arrived(rows), change(rows)
        reference = ReferenceExtension(COLUMNS, (RowGroup(expected, ROWS),), None, "it has none")
        candidate = QueryResult(COLUMNS, (None,) * 3, _arrived(others), 0.0)
        _show(name, _seconds(reference, candidate, VerdictKind.EQUAL), floor)
        others[ROWS // 2] = (*others[ROWS // 2][:2], -1)
        candidate = QueryResult(COLUMNS, (None,) * 3, _arrived(others), 0.0)
        _show("  one row wrong", _seconds(reference, candidate, VerdictKind.NOT_EQUAL), floor)
    print("the way of one result from a worker:")
    lists = [_copied(floats) for _ in range(ROUNDS)]
    frame = _frame(_copied(floats))
    for name, work in (
        ("made into a message by the worker", lambda: _frame(lists.pop())),
        ("read by the parent", lambda: _read(frame)),
        ("read, and its rows made of the columns", lambda: _read(frame).as_tuple()),
    ):
        _show(name, median_seconds(work, ROUNDS), floor)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    print(f"the message has {len(frame) / 2**20:,.0f} MiB")
    print(f"memory at the peak: {peak / 2**20:,.0f} MiB, the rows that all was made from included")


def _show(name: str, seconds: float, floor: float) -> None:
    print(f"{name:<42}{seconds:>9.2f}{seconds / floor:>8.2f}")


def _seconds(reference: ReferenceExtension, candidate: QueryResult, expected: VerdictKind) -> float:
    assert compare(reference, candidate).kind is expected
    return median_seconds(lambda: compare(reference, candidate), ROUNDS)


def _arrived(rows: list[Row]) -> ColumnarRows:
    """Return rows as they arrive from a worker."""
    return _read(_frame(list(rows)))


def _frame(rows: list[Row]) -> bytes:
    return encode_frame(with_packed_rows({"columns": COLUMNS, "rows": rows}))


def _read(frame: bytes) -> ColumnarRows:
    rows = unpacked_rows(decode_body(frame[HEADER_BYTES:]))
    assert isinstance(rows, ColumnarRows)
    return rows


def _copied(rows: list[Row]) -> list[Row]:
    return [(*row,) for row in rows]


def _shuffled(rows: list[Row], source: random.Random) -> list[Row]:
    others = _copied(rows)
    source.shuffle(others)
    return others


def _noisy(rows: list[Row], source: random.Random) -> list[Row]:
    others: list[Row] = [(at, name, value * _NOISE) for at, name, value in rows]  # type: ignore[operator]
    source.shuffle(others)
    return others


if __name__ == "__main__":
    main()
