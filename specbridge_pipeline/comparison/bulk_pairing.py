"""Settling the easy part of a large pairing at once, so that only the rest is looked at row by row.

Rows fall into clusters between which no two rows can be equal: rows whose exact cells differ, or
whose numbers lie further apart than any tolerance reaches. Each cluster is a question of its own.
It is settled where its rows, sorted, agree one by one; of such clusters large results consist
almost wholly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from specbridge_pipeline.comparison.bulk_columns import Numbers, Table, tables
from specbridge_pipeline.comparison.row_groups import RowGroup, Side

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float64]
    Integers: TypeAlias = NDArray[numpy.int64]
    Hashes: TypeAlias = NDArray[numpy.uint64]
    Booleans: TypeAlias = NDArray[numpy.bool_]

MINIMUM_ROWS = 1_000
"""Below so many rows a side, looking at them one by one is as quick."""

_SAMPLE_ROWS = 10_000
_TELLING = 0.5
_MARGIN = 1.001


@dataclass(frozen=True, slots=True)
class _Way:
    """How rows are sorted and divided.

    Attributes:
        by_key: By their keys first.
        by_number: The place of the numbers that they are divided by; None for none.
    """

    by_key: bool
    by_number: int | None = None


def narrowed_down(left: Side, right: Side, width: int) -> tuple[Side, Side] | None:
    """Take out of two sides the rows that are settled, whose groups all take part as a whole.

    Args:
        left: One side.
        right: The other.
        width: How many columns both have.

    Returns:
        The rows that are left, which can be paired if and only if all can; both sides empty where
        all are paired. None where the rows are of a kind that is not looked at in bulk, see
        `bulk_columns.tables`.
    """
    import numpy

    found = tables(left, right, width)
    if found is None:
        return None
    first, second = found
    places = (numpy.arange(first.count), numpy.arange(second.count))
    for way in _ways(first):
        places = _unsettled(first, places[0], second, places[1], way)
    return _without_settled(left, places[0]), _without_settled(right, places[1])


def _without_settled(side: Side, places: Integers) -> Side:
    if not len(places):
        return Side((), side.widen)
    rows = side.all_rows()
    magnitudes = [each for group in side.groups for each in group.magnitudes]
    kept = places.tolist()
    group = RowGroup(
        tuple(rows[place] for place in kept),
        len(kept),
        tuple(magnitudes[place] for place in kept) if magnitudes else (),
    )
    return Side((group,), side.widen)


def _ways(table: Table) -> Iterator[_Way]:
    """Yield ways to divide the rows; each later one is for what the earlier ones left."""
    import numpy

    if not table.numbers:
        yield _Way(by_key=True)
        return
    pivot, telling = _most_telling(table)
    if not table.codes:
        yield _Way(by_key=False, by_number=pivot)
        return
    keys = numpy.sort(table.keys)
    # Sorting by both at once takes several times as long as by one.
    if (keys[1:] != keys[:-1]).all():
        yield _Way(by_key=True)
    elif telling:
        yield _Way(by_key=False, by_number=pivot)
    yield _Way(by_key=True, by_number=pivot)


def _most_telling(table: Table) -> tuple[int, bool]:
    """Return the place of the numbers with the most different ones, and whether most differ."""
    import numpy

    samples = [numbers.values[:_SAMPLE_ROWS] for numbers in table.numbers]
    different = [len(numpy.unique(sample)) for sample in samples]
    pivot = different.index(max(different))
    return pivot, different[pivot] > _TELLING * len(samples[pivot])


def _unsettled(
    first: Table, places: Integers, second: Table, others: Integers, way: _Way
) -> tuple[Integers, Integers]:
    """Return the places, of those given, of the rows that are not settled."""
    import numpy

    places = places[_order(first, places, way)]
    others = others[_order(second, others, way)]
    if len(places) == len(others) and _agree(first, places, second, others).all():
        return places[:0], others[:0]
    order, starts = _clusters(first, places, second, others, way)
    cluster = numpy.cumsum(starts) - 1
    is_first = order < len(places)
    sizes = numpy.bincount(cluster)
    firsts = numpy.bincount(cluster[is_first], minlength=len(sizes))
    # Inside a cluster the rows of both sides are sorted.
    even = 2 * firsts == sizes
    in_even = even[cluster]
    from_first = in_even & is_first
    agree = _agree(
        first,
        places[order[from_first]],
        second,
        others[order[in_even & ~is_first] - len(places)],
    )
    even[cluster[from_first][~agree]] = False
    left = ~even[cluster]
    return (
        numpy.sort(places[order[left & is_first]]),
        numpy.sort(others[order[left & ~is_first] - len(places)]),
    )


def _order(table: Table, places: Integers, way: _Way) -> Integers:
    import numpy

    if way.by_number is None:
        return numpy.argsort(table.keys[places])
    values = table.numbers[way.by_number].values[places]
    if not way.by_key:
        return numpy.argsort(values)
    return numpy.lexsort((values, table.keys[places]))


def _agree(first: Table, places: Integers, second: Table, others: Integers) -> Booleans:
    """Say for pairs of rows whether all their cells agree."""
    import numpy

    agree = numpy.ones(len(places), dtype=bool)
    for codes, other_codes in zip(first.codes, second.codes, strict=True):
        agree &= codes[places] == other_codes[others]
    for one, other in zip(first.numbers, second.numbers, strict=True):
        distance = numpy.abs(one.values[places] - other.values[others])
        agree &= distance <= one.reaches[places] + other.reaches[others]
    return agree


def _clusters(
    first: Table, places: Integers, second: Table, others: Integers, way: _Way
) -> tuple[Integers, Booleans]:
    """Merge the sorted rows of both sides and say at which of them a cluster begins."""
    import numpy

    keys = numpy.concatenate((first.keys[places], second.keys[others]))
    if way.by_number is None:
        # Two sorted halves are merged in no time by an order that is stable.
        order = numpy.argsort(keys, kind="stable")
        return order, _first_of_each(keys[order])
    one, other = first.numbers[way.by_number], second.numbers[way.by_number]
    values = numpy.concatenate((one.values[places], other.values[others]))
    if not way.by_key:
        order = numpy.argsort(values, kind="stable")
        starts = numpy.zeros(len(order), dtype=bool)
        starts[:1] = True
    else:
        order = numpy.lexsort((values, keys))
        starts = _first_of_each(keys[order])
    values = values[order]
    starts[1:] |= _far_apart(one, other, values)
    return order, starts


def _far_apart(one: Numbers, other: Numbers, values: Floats) -> Booleans:
    """Say of sorted values between which neighbours nothing reaches across."""
    import numpy

    # Kept apart are neighbours with more between them than both could reach with the largest
    # floor. Nothing beyond them reaches across: a reach grows by a tiny part of the distance only.
    widest = (one.relative + other.relative) * numpy.abs(values)
    widest = _MARGIN * numpy.maximum(widest, one.floor + other.floor)
    apart: Booleans = values[1:] - values[:-1] > widest[1:] + widest[:-1]
    return apart


def _first_of_each(keys: Hashes) -> Booleans:
    import numpy

    starts = numpy.ones(len(keys), dtype=bool)
    starts[1:] = keys[1:] != keys[:-1]
    return starts
