"""What differs between two texts, two queries, or two results, marked for a reader.

Nothing here decides a score: `comparison` does. A marked difference only shows where to look.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import combinations

_WORD = re.compile(r"\s+|\d+(?:\.\d+)?|[^\W\d][\w'’]*|.", re.DOTALL)
_TOLERANCE = 1e-9
_WIDEST_KEY = 3


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text.

    Attributes:
        text: The text.
        differs: Whether the other text has something else here.
    """

    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a query.

    Attributes:
        pieces: Its text, in stretches.
        differs: Whether any of them differs.
    """

    pieces: tuple[Piece, ...]
    differs: bool


class RowStatus(StrEnum):
    """How a row of one result stands to the rows of the other."""

    SAME = "same"
    CHANGED = "changed"
    ONLY_HERE = "only_here"


@dataclass(frozen=True, slots=True)
class MarkedRow:
    """A row of a result.

    Attributes:
        cells: Its cells.
        status: Whether the other result has the row, the row with other cells, or neither.
        differing: Positions of the cells that the other result has differently.
    """

    cells: tuple[object, ...]
    status: RowStatus
    differing: frozenset[int] = frozenset()


def word_differences(first: str, second: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Mark the words in which two texts differ.

    Args:
        first: A text.
        second: Another.

    Returns:
        Both texts in stretches; joined again they are the texts.
    """
    words, others = _WORD.findall(first), _WORD.findall(second)
    matcher = SequenceMatcher(None, _keys(words), _keys(others), autojunk=False)
    marks, other_marks = [True] * len(words), [True] * len(others)
    for start, other_start, size in matcher.get_matching_blocks():
        marks[start : start + size] = [False] * size
        other_marks[other_start : other_start + size] = [False] * size
    return _pieces(words, marks), _pieces(others, other_marks)


def line_differences(first: str, second: str) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Mark the lines of two queries that differ, and in them the words.

    Lines are compared first: a comparison of words alone would pair each SELECT and FROM with the
    next best one, and tear apart what belongs together.

    Args:
        first: A query.
        second: Another.

    Returns:
        The lines of both.
    """
    lines, others = first.splitlines(), second.splitlines()
    matcher = SequenceMatcher(
        None, [" ".join(x.split()) for x in lines], [" ".join(x.split()) for x in others], False
    )
    marked: list[Line] = []
    other_marked: list[Line] = []
    for operation, start, end, other_start, other_end in matcher.get_opcodes():
        block, other_block = lines[start:end], others[other_start:other_end]
        if operation == "equal":
            marked += [Line((Piece(line, False),), False) for line in block]
            other_marked += [Line((Piece(line, False),), False) for line in other_block]
            continue
        pieces, other_pieces = word_differences("\n".join(block), "\n".join(other_block))
        marked += _lines(pieces) if block else []
        other_marked += _lines(other_pieces) if other_block else []
    return tuple(marked), tuple(other_marked)


def result_differences(
    first: Sequence[Sequence[object]], second: Sequence[Sequence[object]]
) -> tuple[tuple[MarkedRow, ...], tuple[MarkedRow, ...]]:
    """Mark the rows and cells in which two results differ.

    Rows that are alike are paired first, then rows that agree in what looks like a key: columns
    without fractions whose values are unique on both sides. Two results of a single row are
    paired anyhow.

    Args:
        first: The rows of a result.
        second: The rows of another.

    Returns:
        The rows of both, in their order.
    """
    partners = _alike(first, second)
    left = [i for i in range(len(first)) if i not in partners]
    taken = set(partners.values())
    right = [j for j in range(len(second)) if j not in taken]
    changed = _by_key(first, second, left, right)
    others = {j: i for i, j in changed.items()}
    return (
        tuple(
            _mark(row, i in partners, _partner(second, changed, i)) for i, row in enumerate(first)
        ),
        tuple(_mark(row, j in taken, _partner(first, others, j)) for j, row in enumerate(second)),
    )


def cells_agree(first: object, second: object) -> bool:
    """Whether two cells are alike to a reader: numbers within 1e-9 of one another."""
    if _numeric(first) and _numeric(second):
        a, b = float(first), float(second)  # type: ignore[arg-type]
        return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=_TOLERANCE)
    return type(first) is type(second) and first == second


def _keys(words: Sequence[str]) -> list[str]:
    """Return words for comparison: all blanks are alike."""
    return [" " if word.isspace() else word for word in words]


def _pieces(words: Sequence[str], marks: list[bool]) -> tuple[Piece, ...]:
    """Join words to stretches; a blank between two differing words differs with them."""
    for i, word in enumerate(words):
        if word.isspace():
            before = i > 0 and marks[i - 1]
            after = i + 1 < len(words) and marks[i + 1]
            marks[i] = before and after
    pieces: list[Piece] = []
    for word, differs in zip(words, marks, strict=True):
        if pieces and pieces[-1].differs is differs:
            pieces[-1] = Piece(pieces[-1].text + word, differs)
        else:
            pieces.append(Piece(word, differs))
    return tuple(pieces)


def _lines(pieces: Iterable[Piece]) -> list[Line]:
    """Cut stretches at line ends."""
    rows: list[list[Piece]] = [[]]
    for piece in pieces:
        for number, part in enumerate(piece.text.split("\n")):
            if number:
                rows.append([])
            # Indentation is no difference that a reader should look at.
            indent = part[: len(part) - len(part.lstrip())] if not rows[-1] else ""
            if indent:
                rows[-1].append(Piece(indent, False))
            if part[len(indent) :]:
                rows[-1].append(Piece(part[len(indent) :], piece.differs))
    return [Line(tuple(row), any(piece.differs for piece in row)) for row in rows]


def _numeric(cell: object) -> bool:
    return isinstance(cell, int | float | Decimal) and not isinstance(cell, bool)


def _hashed(cell: object) -> object:
    """Return what cells that are alike share, almost always: a number to nine digits."""
    if isinstance(cell, int | float | Decimal) and not isinstance(cell, bool):
        return f"{float(cell):.9g}"
    return (type(cell).__name__, cell)


def _alike(first: Sequence[Sequence[object]], second: Sequence[Sequence[object]]) -> dict[int, int]:
    """Pair the rows that are alike in every cell, each at most once."""
    places: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for j in reversed(range(len(second))):
        places[tuple(map(_hashed, second[j]))].append(j)
    partners: dict[int, int] = {}
    for i, row in enumerate(first):
        waiting = places.get(tuple(map(_hashed, row)))
        if waiting:
            partners[i] = waiting.pop()
    return partners


def _by_key(
    first: Sequence[Sequence[object]],
    second: Sequence[Sequence[object]],
    left: list[int],
    right: list[int],
) -> dict[int, int]:
    """Pair rows by the columns that pair most of them; by none if they pair less than half."""
    if not left or not right or len(first[left[0]]) != len(second[right[0]]):
        return {}
    if len(first) == len(second) == 1:
        return {0: 0}
    width = len(first[0])
    best: dict[int, int] = {}
    for size in range(1, min(width - 1, _WIDEST_KEY) + 1):
        for columns in combinations(range(width), size):
            pairs = _paired(first, second, left, right, columns)
            if len(pairs) > len(best):
                best = pairs
    return best if 2 * len(best) >= min(len(left), len(right)) else {}


def _paired(
    first: Sequence[Sequence[object]],
    second: Sequence[Sequence[object]],
    left: list[int],
    right: list[int],
    columns: tuple[int, ...],
) -> dict[int, int]:
    """Pair rows by the values of some columns, or none if those cannot be a key."""
    sides = []
    for rows, wanted in ((first, left), (second, right)):
        keys = [tuple(row[column] for column in columns) for row in rows]
        if any(isinstance(cell, float) or cell is None for key in keys for cell in key):
            return {}
        if len({tuple(map(_hashed, key)) for key in keys}) < len(keys):
            return {}
        sides.append({tuple(map(_hashed, keys[i])): i for i in wanted})
    return {i: sides[1][key] for key, i in sides[0].items() if key in sides[1]}


def _partner(
    rows: Sequence[Sequence[object]], partners: dict[int, int], place: int
) -> Sequence[object] | None:
    return rows[partners[place]] if place in partners else None


def _mark(row: Sequence[object], same: bool, partner: Sequence[object] | None) -> MarkedRow:
    if same:
        return MarkedRow(tuple(row), RowStatus.SAME)
    if partner is None:
        return MarkedRow(tuple(row), RowStatus.ONLY_HERE)
    differing = frozenset(
        i for i, (a, b) in enumerate(zip(row, partner, strict=True)) if not cells_agree(a, b)
    )
    return MarkedRow(tuple(row), RowStatus.CHANGED, differing)
