"""The set browser of the report: each set with what every model made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from specbridge_pipeline.reporting.differences import (
    Line,
    MarkedRow,
    Piece,
    line_differences,
    result_differences,
    word_differences,
)
from specbridge_pipeline.reporting.formatting import counted
from specbridge_pipeline.reporting.readers import named
from specbridge_pipeline.reporting.report_review import review_words
from specbridge_pipeline.reporting.respondents import Respondent, answered_by, respondents
from specbridge_pipeline.reporting.wording import (
    REQUEST_WORDS,
    outcome_words,
    spaced,
    verdict_words,
)

if TYPE_CHECKING:
    from specbridge_pipeline.reporting.report_data import ReportData, ResultPreview

Rows = Iterable[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The first rows of a result, marked against the other interpretation's.

    Attributes:
        columns: Column names.
        rows: Rows.
        note: How many of how many rows are shown.
    """

    columns: tuple[str, ...]
    rows: tuple[MarkedRow, ...]
    note: str


@dataclass(frozen=True, slots=True)
class SideView:
    """One interpretation of a set, marked against the other.

    Attributes:
        name: "A" or "B".
        meaning: What it computes, in stretches.
        request: The request that is specific to it, in stretches.
        sql: Its query, by line.
        result: The first rows of its result; None where there is no preview.
    """

    name: str
    meaning: tuple[Piece, ...]
    request: tuple[Piece, ...]
    sql: tuple[Line, ...]
    result: ResultTable | None


@dataclass(frozen=True, slots=True)
class Badge:
    """What execution found of a query against one interpretation.

    Attributes:
        side: "A" or "B".
        asked: Whether the request asks for that interpretation; None for the open request.
        accepted: Whether the query gives that interpretation's result.
        words: The verdict in words.
        reason: What was found.
    """

    side: str
    asked: bool | None
    accepted: bool
    words: str
    reason: str


@dataclass(frozen=True, slots=True)
class QueryView:
    """A query that a model returned.

    Attributes:
        name: Main query, or which alternative.
        sql: The query.
        interpretation: What the model says an alternative means.
        badges: Its verdicts.
    """

    name: str
    sql: str
    interpretation: str
    badges: tuple[Badge, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a judge read in an explanation.

    Attributes:
        judge: Who.
        names_choice: Whether it calls the choice open.
        evidence: The words that say so.
    """

    judge: str
    names_choice: bool
    evidence: str


@dataclass(frozen=True, slots=True)
class AnswerView:
    """A model's response to one of the three requests."""

    request: str
    queries: tuple[QueryView, ...]
    explanation: str
    problem: str
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class RespondentView:
    """What one model made of a set."""

    who: str
    outcome: str
    outcome_words: str
    answers: tuple[AnswerView, ...]


@dataclass(frozen=True, slots=True)
class SetView:
    """A set and what every model made of it.

    Attributes:
        id: Its content id.
        database: Its database.
        choice_type: The type of its choice, as stored.
        choice: The same, for people.
        facts: Tier, depths, and who wrote and read it.
        open_request: The request that leaves the choice open.
        sides: Both interpretations.
        overlap: A warning where one answer could be accepted for both; else empty.
        respondents: The models.
        found: "number of the respondent:outcome", for filtering.
    """

    id: str
    database: str
    choice_type: str
    choice: str
    facts: str
    open_request: str
    sides: tuple[SideView, SideView]
    overlap: str
    respondents: tuple[RespondentView, ...]
    found: str


def set_views(data: ReportData, people: list[Respondent]) -> list[SetView]:
    """Return the sets in the order of their choice types and databases.

    Args:
        data: The report's data.
        people: Whose answers are shown, in order.

    Returns:
        One view a set.
    """
    answers = _by(data.responses.iter_rows(named=True), "set_id")
    outcomes = _by(data.outcomes.iter_rows(named=True), "set_id")
    scores = _by(data.scores.iter_rows(named=True), "response_id")
    readings = _by(data.judgements.iter_rows(named=True), "response_id")
    views = []
    for row in data.sets.sort("choice_type", "database", "set_id").iter_rows(named=True):
        models = []
        found = []
        for place, person in enumerate(people):
            own = [r for r in answers.get(row["set_id"], []) if answered_by(r, person)]
            if not own:
                continue
            ends = [r for r in outcomes.get(row["set_id"], []) if answered_by(r, person)]
            outcome = ends[0]["outcome"] if ends else ""
            found.append(f"{place}:{outcome}")
            models.append(_respondent(person, outcome, own, scores, readings))
        views.append(_set_view(row, data, tuple(models), " ".join(found)))
    return views


def answering(data: ReportData) -> list[Respondent]:
    """Return whose responses the report has."""
    return respondents(data.responses, data.names)


def _set_view(
    row: Mapping[str, Any], data: ReportData, models: tuple[RespondentView, ...], found: str
) -> SetView:
    meanings = word_differences(row["meaning_a"], row["meaning_b"])
    requests = word_differences(row["request_a"], row["request_b"])
    queries = line_differences(row["sql_a"], row["sql_b"])
    previews = [data.results.get((row["set_id"], side)) for side in "ab"]
    tables = _result_tables(previews[0], previews[1])
    sides = [
        SideView(name, meanings[i], requests[i], queries[i], tables[i])
        for i, name in enumerate("AB")
    ]
    return SetView(
        id=row["set_id"],
        database=row["database"],
        choice_type=row["choice_type"],
        choice=spaced(row["choice_type"]),
        facts=_facts(row, data),
        open_request=row["request_open"],
        sides=(sides[0], sides[1]),
        overlap=""
        if row["regions_disjoint"]
        else "One and the same answer could be accepted for both interpretations of this set.",
        respondents=models,
        found=found,
    )


def _facts(row: Mapping[str, Any], data: ReportData) -> str:
    """Say how deep a set is, who wrote it, and who has read it."""
    readers = list(row["reviewers"] or ())
    read = f"read by {named(readers)}" if readers else "checked by code only"
    human = {True: "accepted by people", False: "rejected by people", None: ""}
    judged = [verdict for verdict in data.verdicts if verdict["set_id"] == row["set_id"]]
    person = review_words(judged) or human[row["human_verdict"]]
    if person and not readers:
        read = "checked by code"
    parts = [
        f"{row['tier']} tier",
        f"step depth {row['step_depth']}",
        f"arithmetic depth {row['arithmetic_depth']}",
        f"written by {named([row['writer']])}",
        read,
        person,
    ]
    return ", ".join(part for part in parts if part)


def _result_tables(
    first: ResultPreview | None, second: ResultPreview | None
) -> tuple[ResultTable | None, ResultTable | None]:
    if first is None or second is None:
        rows_of = [
            None if p is None else result_differences(p.rows, p.rows)[0] for p in (first, second)
        ]
    else:
        rows_of = list(result_differences(first.rows, second.rows))
    tables = [
        None
        if preview is None or rows is None
        else ResultTable(preview.columns, rows, _note(preview))
        for preview, rows in zip((first, second), rows_of, strict=True)
    ]
    return tables[0], tables[1]


def _note(preview: ResultPreview) -> str:
    if len(preview.rows) < preview.total:
        return f"showing {len(preview.rows)} of {counted(preview.total, 'row')}"
    return counted(preview.total, "row")


def _respondent(
    person: Respondent,
    outcome: str,
    responses: list[Mapping[str, Any]],
    scores: Mapping[str, list[Mapping[str, Any]]],
    readings: Mapping[str, list[Mapping[str, Any]]],
) -> RespondentView:
    order = {kind: place for place, kind in enumerate(("open", "specific_a", "specific_b"))}
    answers = []
    for row in sorted(responses, key=lambda r: order.get(r["request_kind"], len(order))):
        key = row["response_id"]
        answers.append(
            AnswerView(
                request=REQUEST_WORDS.get(row["request_kind"], spaced(row["request_kind"])),
                queries=_queries(row, scores.get(key, [])),
                explanation=row["explanation"],
                problem=row["problem"],
                readings=tuple(
                    Reading(reading["judge"], reading["names_choice"], reading["evidence"])
                    for reading in readings.get(key, [])
                ),
            )
        )
    words = outcome_words(outcome) if outcome else "no outcome: a response is missing"
    return RespondentView(person.label, outcome, words, tuple(answers))


def _queries(response: Mapping[str, Any], scores: list[Mapping[str, Any]]) -> tuple[QueryView, ...]:
    listed_queries = [("main", "Main query", response["sql"] or "", "")]
    pairs = zip_longest(
        response["alternative_sql"] or (),
        response["alternative_interpretations"] or (),
        fillvalue="",
    )
    for number, (sql, interpretation) in enumerate(pairs, start=1):
        listed_queries.append(
            (f"alternative_{number}", f"Alternative {number}", sql, interpretation)
        )
    return tuple(
        QueryView(
            title,
            sql,
            interpretation,
            _badges([s for s in scores if s["query"] == name], response["request_kind"]),
        )
        for name, title, sql, interpretation in listed_queries
    )


def _badges(scores: Rows, kind: str) -> tuple[Badge, ...]:
    badges = []
    for row in sorted(scores, key=lambda score: str(score["interpretation"])):
        accepted = row["verdict"] == "equal"
        words = verdict_words(row["verdict"])
        if not accepted and row["allowing_columns"] == "equal":
            words += ", but right with extra or reordered columns allowed"
        asked = None if kind == "open" else kind == f"specific_{row['interpretation']}"
        badges.append(Badge(row["interpretation"].upper(), asked, accepted, words, row["reason"]))
    return tuple(badges)


def _by(rows: Rows, key: str) -> dict[str, list[Mapping[str, Any]]]:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups
