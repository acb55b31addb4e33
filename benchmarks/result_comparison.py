"""How long two results of a million rows take to compare, against Python's own counting of rows.

Run it with `make bench`. Results are in memory: what it takes to fetch them from a worker is not
in the figures. Each is a median of several rounds; the ratio is taken within the same run. The
floor can only say whether rows are the same: it knows no tolerance.
"""

from __future__ import annotations

import random
import resource
import sys
from collections import Counter
from functools import partial

from timing import median_seconds

from specbridge_pipeline.comparison.acceptance import accept_bag
from specbridge_pipeline.comparison.row_groups import RowGroup
from specbridge_pipeline.databases.results import Row

ROWS = 1_000_000
ROUNDS = 3
_NOISE = 1 + 1e-13


def main() -> None:
    """Print the table."""
    source = random.Random(20261003)
    floats: list[Row] = [(at, f"name {at % 5_000}", source.random() * 1e3) for at in range(ROWS)]
    exact: list[Row] = [(at, name, int(value * 1e6)) for at, name, value in floats]  # type: ignore[operator, arg-type]
    groups: list[Row] = [(at % 50, name, value) for at, name, value in floats]  # type: ignore[operator]
    floor = median_seconds(lambda: Counter(exact) == Counter(_copied(exact)), ROUNDS)
    print(f"{ROWS:,} rows of three columns{'':<8}{'seconds':>9}{'ratio':>8}")
    print(f"{'counted by Python, same order':<36}{floor:>9.2f}{1:>8.1f}")
    for name, reference, candidate, accepted in (
        ("exact, same order", exact, _copied(exact), True),
        ("exact, other order", exact, _shuffled(exact, source), True),
        ("exact, one row wrong", exact, _one_wrong(_shuffled(exact, source)), False),
        ("floats with noise, other order", floats, _noisy(floats, source), True),
        ("floats with noise, one row wrong", floats, _one_wrong(_noisy(floats, source)), False),
        ("few groups, floats with noise", groups, _noisy(groups, source), True),
    ):
        group = (RowGroup(tuple(reference), len(reference)),)
        rows = tuple(candidate)
        assert accept_bag(group, rows, 3).possible is accepted
        seconds = median_seconds(partial(accept_bag, group, rows, 3), ROUNDS)
        print(f"{name:<36}{seconds:>9.2f}{seconds / floor:>8.1f}")
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    print(f"memory at the peak: {peak / 2**20:,.0f} MiB, the results themselves included")


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


def _one_wrong(rows: list[Row]) -> list[Row]:
    rows[len(rows) // 2] = (-1, "wrong", 0.5)
    return rows


if __name__ == "__main__":
    main()
