"""What a reviewer is shown of a request set. No model's answer is part of it."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from decimal import Decimal

from specbridge_pipeline.choices.answer_changes.study import AnswerChange
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome, QueryFailure, QueryResult
from specbridge_pipeline.reporting.answer_difference import answer_difference
from specbridge_pipeline.reporting.clause_lines import clause_lines
from specbridge_pipeline.reporting.differences import (
    Line,
    MarkedRow,
    Piece,
    RowStatus,
    cells_agree,
    line_differences,
    result_differences,
    word_differences,
)
from specbridge_pipeline.reporting.formatting import counted
from specbridge_pipeline.reporting.set_view import (
    checked_without_people,
    edited_steps,
    edited_texts,
    query_steps,
    request_pieces,
    written_by,
)
from specbridge_pipeline.request_sets.human_review.decisions import Decision
from specbridge_pipeline.request_sets.human_review.edits import edit_id
from specbridge_pipeline.request_sets.recheck import RecheckResult
from specbridge_pipeline.request_sets.records import RequestKind, RequestSet, Side

MOST_ROWS = 12
"""Rows of each result that are shown: both fit on a screen, with the requests above them."""

_MOST_DIFFERING = 9
"""Of these, rows that differ; the others are the first ones, which say what a result looks like."""

_MOST_LINES = 15
"""Rows and gaps of each result together: rows that differ can lie far from one another."""

_LONGEST_COMPARED = 5_000

Rows = Sequence[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Gap:
    """Rows of a result that are not shown: how many, in words."""

    words: str


@dataclass(frozen=True, slots=True)
class ShownResult:
    """A result as far as it is shown.

    Attributes:
        columns: Column names.
        entries: Rows in their order, and gaps between them.
        total: How many rows there are, in words.
        problem: Why there is none; else empty.
    """

    columns: tuple[str, ...]
    entries: tuple[MarkedRow | Gap, ...]
    total: str
    problem: str = ""

    @property
    def number_columns(self) -> frozenset[int]:
        """Places of the columns that show numbers only, which stand at the right of a column."""
        cells: dict[int, list[object]] = {}
        for row in self.entries:
            if isinstance(row, MarkedRow):
                for place, cell in enumerate(row.cells):
                    cells.setdefault(place, []).append(cell)
        return frozenset(
            place
            for place, found in cells.items()
            if all(cell is None or isinstance(cell, int | float | Decimal) for cell in found)
        )


@dataclass(frozen=True, slots=True)
class ReviewSide:
    """One interpretation.

    Attributes:
        name: "A" or "B".
        request: The request that is specific to it, in stretches.
        meaning: What it computes, in stretches.
        result: Its result.
        edit: The lines of the step that is edited.
        description: The exact description of the whole query, in stretches, where it is shown.
    """

    name: str
    request: tuple[Piece, ...]
    meaning: tuple[Piece, ...]
    result: ShownResult
    edit: tuple[Line, ...]
    description: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A set, or an edit of a benchmark question, as it is reviewed.

    Attributes:
        id: Its content id, or the edit's id.
        digest: Digest of what is shown.
        database: Its database.
        choice_type: The type of its choice, as stored.
        facts: Depths and writer, in words.
        open_request: The open request, or the question, in stretches.
        sides: Both interpretations.
        answers: How the answers differ, in a line.
        edited: Which step is edited, in words.
        steps: The steps of A: name and SQL.
        checks: What code and reviewers say: whether it holds, and what.
        first_pass: What was decided of it before; empty in the first pass.
        evidence: What the benchmark says beside the question; else empty.
    """

    id: str
    digest: str
    database: str
    choice_type: str
    facts: str
    open_request: tuple[Piece, ...]
    sides: tuple[ReviewSide, ReviewSide]
    answers: str
    edited: str
    steps: tuple[tuple[str, str], ...]
    checks: tuple[tuple[bool | None, str], ...]
    first_pass: tuple[Decision, ...] = ()
    evidence: str = ""


def review_item(
    request_set: RequestSet,
    digest: str,
    outcomes: tuple[Outcome, Outcome],
    checked: RecheckResult,
    engine: Engine,
    first_pass: Sequence[Decision] = (),
) -> ReviewItem:
    """Arrange a set for a reviewer.

    Args:
        request_set: The set.
        digest: Digest of what is shown of it.
        outcomes: What running A and B gave.
        checked: What code found when it checked the set anew.
        engine: The engine of its database.
        first_pass: What reviewers decided of it before, where they decide again.

    Returns:
        The item. It says nothing of people's verdicts but those of `first_pass`.
    """
    requests = request_pieces(request_set)
    where, *texts = edited_steps(request_set, engine)
    edits = line_differences(*texts)
    meanings = word_differences(*(request_set.interpretations[side].meaning for side in Side))
    results = shown_results(*outcomes)
    kinds = (RequestKind.SPECIFIC_A, RequestKind.SPECIFIC_B)
    a, b = (
        ReviewSide(name, requests[kinds[i]], meanings[i], results[i], edits[i])
        for i, name in enumerate("AB")
    )
    return ReviewItem(
        id=request_set.id,
        digest=digest,
        database=request_set.database,
        choice_type=request_set.choice_type.value,
        facts=(
            f"step depth {request_set.step_depth}, arithmetic depth "
            f"{request_set.arithmetic_depth}, requests written by {written_by(request_set)}"
        ),
        open_request=requests[RequestKind.OPEN],
        sides=(a, b),
        answers=_answers(*outcomes),
        edited=where,
        steps=tuple(query_steps(request_set.interpretations.a.sql, engine)),
        checks=tuple(checked_without_people(request_set, checked)),
        first_pass=tuple(first_pass),
    )


def edit_item(
    change: AnswerChange,
    digest: str,
    outcomes: tuple[Outcome, Outcome],
    descriptions: tuple[str, str],
    first_pass: Sequence[Decision] = (),
) -> ReviewItem:
    """Arrange the edit of a benchmark question for a reviewer.

    Args:
        change: The question, its reference and the edit of that.
        digest: Digest of what is shown of it.
        outcomes: What running the reference and the edited query gave.
        descriptions: The exact descriptions of both.
        first_pass: What reviewers decided of it before, where they decide again.

    Returns:
        The item. A is the reference, B its edit.
    """
    row, reference, edit = change.row, change.reference, change.edit
    assert edit is not None
    where, *texts = edited_texts(edit.original, edit.sql, Engine.SQLITE)
    edits = line_differences(*(clause_lines(text) for text in texts))
    meanings = word_differences(edit.taken, edit.other)
    described = word_differences(*descriptions)
    results = shown_results(*outcomes)
    a, b = (
        ReviewSide(name, (), meanings[i], results[i], edits[i], described[i])
        for i, name in enumerate("AB")
    )
    moved = "" if row["relative_move"] is None else f", by {row['relative_move']:.1%}"
    return ReviewItem(
        id=edit_id(row),
        digest=digest,
        database=row["database"],
        choice_type=row["choice_type"],
        facts=f"A is the reference, which takes “{row['form']}”; the answer moves: {row['move']}"
        f"{moved}",
        open_request=(Piece(reference.question, differs=False),),
        sides=(a, b),
        answers=_answers(*outcomes),
        edited=where,
        steps=(("the reference as written", reference.sql),),
        checks=((True, "code: the edit passed every gate, and both queries run"),),
        first_pass=tuple(first_pass),
        evidence=reference.evidence,
    )


def shown_results(a: Outcome, b: Outcome) -> tuple[ShownResult, ShownResult]:
    """Return both results as far as they are shown, with what differs marked.

    Rows that differ go before others where not all can be shown, and the same ones on both sides.
    Results of many thousand rows are compared in their first rows only.
    """
    if isinstance(a, QueryFailure) or isinstance(b, QueryFailure):
        return _alone(a), _alone(b)
    rows = (a.rows, b.rows)
    if max(map(len, rows)) > _LONGEST_COMPARED:
        rows = (a.rows[:MOST_ROWS], b.rows[:MOST_ROWS])
    left, right = result_differences(*rows)
    for most in range(_MOST_DIFFERING, 0, -1):
        first = _differing(left)[:most]
        partners = [place for each in first for place in _partner(left[each], right)]
        others = [place for place in _differing(right) if place not in partners]
        second = (partners + others)[:most]
        found = _shown(a, left, first), _shown(b, right, second)
        if all(len(each.entries) <= _MOST_LINES for each in found):
            break
    return found


def _alone(outcome: Outcome) -> ShownResult:
    if isinstance(outcome, QueryFailure):
        return ShownResult((), (), "", f"it gives no result: {outcome.message}")
    rows = tuple(MarkedRow(row, RowStatus.SAME) for row in outcome.rows[:MOST_ROWS])
    return _shown(outcome, rows, [])


def _differing(rows: Sequence[MarkedRow]) -> list[int]:
    return [place for place, row in enumerate(rows) if row.status is not RowStatus.SAME]


def _partner(row: MarkedRow, others: Sequence[MarkedRow]) -> list[int]:
    """Return the place of the row that a changed row became; empty where it is not found."""
    if row.status is not RowStatus.CHANGED:
        return []
    return [
        place
        for place, other in enumerate(others)
        if other.status is RowStatus.CHANGED
        and other.differing == row.differing
        and all(
            cells_agree(cell, other.cells[i])
            for i, cell in enumerate(row.cells)
            if i not in row.differing
        )
    ][:1]


def _shown(result: QueryResult, rows: Sequence[MarkedRow], wanted: Sequence[int]) -> ShownResult:
    """Return the wanted rows and the first others, in their order, and what lies between them."""
    chosen = set(wanted)
    entries = _entries(result, rows, chosen)
    for place in range(len(rows)):
        if len(chosen) >= MOST_ROWS:
            break
        more = _entries(result, rows, chosen | {place})
        if len(more) > max(_MOST_LINES, len(entries)):
            break
        chosen.add(place)
        entries = more
    return ShownResult(result.columns, tuple(entries), counted(len(result.rows), "row"))


def _entries(
    result: QueryResult, rows: Sequence[MarkedRow], chosen: Set[int]
) -> list[MarkedRow | Gap]:
    entries: list[MarkedRow | Gap] = []
    last = -1
    for place in sorted(chosen):
        entries += _gap(rows[last + 1 : place], 0)
        entries.append(rows[place])
        last = place
    return entries + _gap(rows[last + 1 :], len(result.rows) - len(rows))


def _gap(rows: Sequence[MarkedRow], not_compared: int) -> list[MarkedRow | Gap]:
    count = len(rows) + not_compared
    if not count:
        return []
    if count == 1 and rows:
        # Its place is as large as what could be said of it.
        return [rows[0]]
    differing = len(_differing(rows))
    if not_compared:
        return [Gap(f"{counted(count, 'more row')}, not compared here")]
    if not differing:
        return [Gap(f"{counted(count, 'row')} alike in A and B")]
    how = "all" if differing == count else f"{differing:,} of them"
    return [Gap(f"{counted(count, 'more row')}, {how} different")]


def _answers(a: Outcome, b: Outcome) -> str:
    for name, outcome in zip("AB", (a, b), strict=True):
        if isinstance(outcome, QueryFailure):
            return f"{name} gives no result: {outcome.message}"
    assert isinstance(a, QueryResult)
    assert isinstance(b, QueryResult)
    return answer_difference(a.columns, a.rows, b.rows)
