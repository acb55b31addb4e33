"""One request set as the paper's Figure 3 shows one: from the generated query to its checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter

from specbridge_pipeline.choices.statement import Statement, read_statement
from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.databases.results import Outcome, QueryFailure, QueryResult
from specbridge_pipeline.errors import UnusableReferenceError
from specbridge_pipeline.reporting.answer_difference import answer_difference
from specbridge_pipeline.reporting.differences import (
    Piece,
    RowStatus,
    cells_agree,
    line_differences,
    result_differences,
    word_differences,
)
from specbridge_pipeline.reporting.formatting import cell_text
from specbridge_pipeline.reporting.readers import is_rules, named
from specbridge_pipeline.request_sets.recheck import RecheckResult
from specbridge_pipeline.request_sets.records import RequestKind, RequestSet, Side
from specbridge_pipeline.sql.step_difference import step_difference

MARK, UNMARK = "«", "»"
"""What stands around the words in which requests differ."""

_LONGEST_COMPARED = 5_000


@dataclass(frozen=True, slots=True)
class EditView:
    """The choice as an edit of the query.

    Attributes:
        where: Which step is edited, in words.
        rows: Line of A, whether the two differ here, line of B; an absent line is empty.
    """

    where: str
    rows: tuple[tuple[str, bool, str], ...]


@dataclass(frozen=True, slots=True)
class ExampleView:
    """What differs in the results.

    Attributes:
        summary: How they differ, in a line.
        columns: Column names of A's result.
        rows: An example row of each side that has one: "A" or "B", and the cells.
    """

    summary: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def query_steps(sql: str, engine: Engine) -> list[tuple[str, str]]:
    """Return a query's steps: the name of each, and its SQL as written."""
    statement = read_statement(sql, engine)
    if statement is None:
        return [("the query", _dedented(sql))]
    steps = [(each.name, _dedented(each.text)) for each in statement.entries]
    return [*steps, ("the result" if steps else "the query", _dedented(statement.main))]


def edit_view(request_set: RequestSet, engine: Engine) -> EditView:
    """Return the choice of a set as an edit: the steps that differ, line beside line."""
    where, a, b = edited_steps(request_set, engine)
    return EditView(where, tuple(_side_by_side(a, b)))


def edited_steps(request_set: RequestSet, engine: Engine) -> tuple[str, str, str]:
    """Return where the two queries of a set differ.

    Args:
        request_set: The set.
        engine: The engine of its database.

    Returns:
        Which step is edited, in words, and the SQL of the steps that differ in A and in B; whole
        queries where they do not differ in one step.
    """
    a, b = (request_set.interpretations[side].sql for side in Side)
    return edited_texts(a, b, engine)


def edited_texts(a: str, b: str, engine: Engine) -> tuple[str, str, str]:
    """Return where two queries differ.

    Args:
        a: One query.
        b: The other.
        engine: The engine that they are for.

    Returns:
        Which step differs, in words, and the SQL of the steps that differ in each; whole queries
        where they do not differ in one step.
    """
    sqls = [a, b]
    statements = [read_statement(sql, engine) for sql in sqls]
    texts, where = [_dedented(sql) for sql in sqls], "the query"
    try:
        difference = step_difference(sqls[0], sqls[1], engine)
    except UnusableReferenceError:
        difference = None
    if difference is not None and difference.one_step and all(statements):
        [changed] = difference.changed
        alone = not any(statement.entries for statement in statements if statement is not None)
        where = f"step {changed}" if changed else "the query" if alone else "the result"
        if difference.added:
            where += f"; B has one step more, {difference.added[0]}"
        if difference.removed:
            where += f"; B does without {', '.join(difference.removed)}"
        texts = [
            _steps_text(statement, (*only, changed))
            for statement, only in zip(
                statements, (difference.removed, difference.added), strict=True
            )
            if statement is not None
        ]
    return where, texts[0], texts[1]


def example_view(a: Outcome, b: Outcome) -> ExampleView:
    """Return what differs in the results of both queries, with one example row."""
    for side, outcome in zip("AB", (a, b), strict=True):
        if isinstance(outcome, QueryFailure):
            return ExampleView(f"{side} gives no result: {outcome.message}", (), ())
    assert isinstance(a, QueryResult)
    assert isinstance(b, QueryResult)
    summary = answer_difference(a.columns, a.rows, b.rows)
    if max(len(a.rows), len(b.rows)) > _LONGEST_COMPARED:
        return ExampleView(summary, (), ())
    left, right = result_differences(a.rows, b.rows)
    differing = [row for row in left if row.status is not RowStatus.SAME]
    count = max(len(differing), sum(row.status is not RowStatus.SAME for row in right))
    total = max(len(left), len(right))
    said = f"{count} of {total} output rows differ ({summary})"
    rows: list[tuple[str, tuple[object, ...]]] = []
    if differing:
        chosen = differing[0]
        rows.append(("A", chosen.cells))
        if chosen.status is RowStatus.CHANGED:
            shared = [place for place in range(len(chosen.cells)) if place not in chosen.differing]
            rows += [
                ("B", row.cells)
                for row in right
                if row.status is RowStatus.CHANGED
                and all(row.cells[place] == chosen.cells[place] for place in shared)
            ][:1]
    others = [row.cells for row in right if row.status is RowStatus.ONLY_HERE]
    if len(rows) < 2 and others:
        # The row of B that has most in common with that of A, if there is one.
        likest = max(others, key=lambda cells: _alike(cells, differing[0].cells if rows else ()))
        rows.append(("B", likest))
    return ExampleView(
        said, a.columns, tuple((side, tuple(map(cell_text, cells))) for side, cells in rows)
    )


def marked_requests(request_set: RequestSet) -> dict[RequestKind, str]:
    """Return the three requests; words that one of the others lacks stand between « and »."""
    return {
        kind: "".join(
            f"{MARK}{piece.text}{UNMARK}" if piece.differs else piece.text for piece in pieces
        )
        for kind, pieces in request_pieces(request_set).items()
    }


def request_pieces(request_set: RequestSet) -> dict[RequestKind, tuple[Piece, ...]]:
    """Return the three requests in stretches; those that one of the others lacks differ."""
    texts = {kind: request_set.request(kind) for kind in RequestKind}
    found = {}
    for kind, text in texts.items():
        differs = [False] * len(text)
        for other in RequestKind:
            place = 0
            for piece in word_differences(text, texts[other])[0]:
                end = place + len(piece.text)
                if piece.differs:
                    differs[place:end] = [True] * len(piece.text)
                place = end
        found[kind] = tuple(
            Piece("".join(text[place] for place, _ in group), marked)
            for marked, group in groupby(enumerate(differs), key=itemgetter(1))
        )
    return found


def checks_passed(request_set: RequestSet, result: RecheckResult) -> list[tuple[bool | None, str]]:
    """Return what was checked: whether it holds (None: nobody has looked), and what in words."""
    provenance = request_set.provenance
    said = checked_without_people(request_set, result)
    if provenance.human_verdict is not None:
        verdict = "accepted" if provenance.human_verdict else "rejected"
        said.append((provenance.human_verdict, f"read by a person, who {verdict} it"))
    elif provenance.writer == "hand":
        said.append((None, "written by a person; judged by no other"))
    else:
        said.append((None, "not read by a person"))
    return said


def checked_without_people(
    request_set: RequestSet, result: RecheckResult
) -> list[tuple[bool | None, str]]:
    """Return what code and reviewers say, as `checks_passed`, and nothing of what people say."""
    provenance = request_set.provenance
    depth = result.depth
    measured = "not measurable" if depth is None else f"{depth.step} and {depth.arithmetic}"
    if not result.depths_agree:
        stated = f"{request_set.step_depth} and {request_set.arithmetic_depth}"
        measured = f"{measured}, where the set states {stated}"
    said: list[tuple[bool | None, str]] = [
        (result.one_step, "code: the two queries differ in one step"),
        (result.depths_agree, f"code: step and arithmetic depth, measured again: {measured}"),
        (result.requests_differ, "code: three different requests"),
        (result.check.disjoint, "code: no answer fits both interpretations"),
    ]
    said += [
        (True, f"{named([name])}: each request read against both interpretations")
        for name in provenance.reviewers
    ]
    if not provenance.reviewers:
        said.append((None, "no reviewer has read it"))
    return said


def written_by(request_set: RequestSet) -> str:
    """Name the writer so that rules cannot be taken for a model."""
    writer = request_set.provenance.writer
    return f"{named([writer])}, no model" if is_rules(writer) else named([writer])


def _steps_text(statement: Statement, names: Sequence[str]) -> str:
    parts = []
    for name in names:
        text = _dedented(statement.text(name) or "")
        parts.append(f"{name}:\n{text}" if name and len(names) > 1 else text)
    return "\n".join(parts)


def _dedented(sql: str) -> str:
    """Return SQL without the indentation that all its lines after the first share."""
    first, *rest = sql.strip("\n").rstrip().split("\n")
    indents = [len(line) - len(line.lstrip()) for line in rest if line.strip()]
    first_indent = len(first) - len(first.lstrip())
    # The first line of a WITH entry has lost its indentation already.
    common = min(indents, default=0)
    if first_indent:
        common = min(common, first_indent)
    return "\n".join([first.lstrip(), *(line[common:] for line in rest)])


def _alike(one: Sequence[object], other: Sequence[object]) -> int:
    return sum(map(cells_agree, one, other))


def _side_by_side(a: str, b: str) -> Iterator[tuple[str, bool, str]]:
    left, right = (
        [("".join(piece.text for piece in line.pieces), line.differs) for line in lines]
        for lines in line_differences(a, b)
    )
    keys, other_keys = ([" ".join(text.split()) for text, _ in lines] for lines in (left, right))
    matcher = SequenceMatcher(None, keys, other_keys, False)
    for operation, start, end, other, other_end in matcher.get_opcodes():
        if operation == "equal":
            for (one, _), (two, _) in zip(left[start:end], right[other:other_end], strict=True):
                yield one, False, two
            continue
        for place in range(max(end - start, other_end - other)):
            yield (
                left[start + place][0] if start + place < end else "",
                True,
                right[other + place][0] if other + place < other_end else "",
            )
