"""Cells of every kind that a result can have, and whether two are the same in all respects."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from hypothesis import strategies as some

ZONES = some.sampled_from([None, UTC])
TEXTS = some.text(some.characters(exclude_categories=()), max_size=5) | some.sampled_from(
    ["", "1", "1.0", "\ud83d\ude00", "\ud800", "a\0b", "2020-01-02"]
)
INTEGERS = some.integers(-3, 3) | some.sampled_from(
    [2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**63, 2**127]
)
FLOATS = some.floats() | some.sampled_from([0.0, -0.0, 1.0, 2.0**53, 2.0**63, math.nan, math.inf])
KINDS: dict[str, some.SearchStrategy[Any]] = {
    "NULL": some.none(),
    "integers": INTEGERS,
    "floats": FLOATS,
    "text": TEXTS,
    "bytes": some.binary(max_size=3),
    "decimals": some.sampled_from(list(map(Decimal, ["0", "-0", "1", "1.0", "1.00", "Infinity"]))),
    "dates": some.dates(date(2020, 1, 1), date(2020, 1, 3)),
    # No engine has an hour that comes twice.
    "moments": some.datetimes(datetime(2020, 1, 1), datetime(2020, 1, 2), timezones=ZONES).map(
        lambda moment: moment.replace(fold=0)
    ),
    "times": some.times(time(1), time(2)).map(lambda moment: moment.replace(fold=0)),
    "lengths of time": some.timedeltas(),
    "nested": some.tuples(INTEGERS, some.tuples(TEXTS, FLOATS)),
}


@some.composite
def columns(draw: some.DrawFn, count: int) -> list[Any]:
    """Some cells of a few kinds."""
    kinds = draw(some.sets(some.sampled_from(sorted(KINDS)), min_size=1, max_size=3))
    cells = some.one_of([KINDS[kind] for kind in sorted(kinds)])
    return draw(some.lists(cells, min_size=count, max_size=count))


def spelled(value: Any) -> object:
    """Return what tells a cell from all others, equal ones of other types or signs included."""
    if isinstance(value, tuple):
        return tuple(map(spelled, value))
    return type(value), repr(value)
