"""From a reported number to the replies behind it, each step recomputed and compared."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from specbridge_pipeline.errors import SpecBridgeError, TraceMismatchError
from specbridge_pipeline.evaluation.outcomes import outcome_rows
from specbridge_pipeline.evaluation.records import JUDGEMENTS, OUTCOMES, RESPONSES, SCORES
from specbridge_pipeline.evaluation.stages import response_reader
from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline.language_models.requests import ModelReply
from specbridge_pipeline.records.cells import CellStore
from specbridge_pipeline.records.views import query_warehouse
from specbridge_pipeline.reporting.construction_rows import (
    CONSTRUCTION_SCHEMAS,
    read_construction,
)
from specbridge_pipeline.reporting.funnel import construction_funnel
from specbridge_pipeline.reporting.numbers import recomputed
from specbridge_pipeline.reporting.records import CONSTRUCTION_FUNNEL, REVIEW_NUMBERS, STATISTICS
from specbridge_pipeline.reporting.review_numbers import review_numbers, reviewed_ids
from specbridge_pipeline.request_sets.human_review.records import EDITION_VERDICTS
from specbridge_pipeline.request_sets.records import EDITION_SETS, RequestKind

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TracedReply:
    """One call behind a response.

    Attributes:
        reply: The archived reply.
        request: Canonical JSON of the request, prompt included; None where it did not ship.
    """

    reply: ModelReply
    request: str | None


@dataclass(frozen=True, slots=True)
class TracedResponse:
    """One of the three responses behind a row.

    Attributes:
        row: Its row of `responses`.
        scores: Its rows of `scores`.
        judgement: Its row of `judgements`.
        replies: The calls that it was read from, in order.
    """

    row: Row
    scores: Sequence[Row]
    judgement: Row
    replies: Sequence[TracedReply]


@dataclass(frozen=True, slots=True)
class TracedRow:
    """One row behind a number.

    Attributes:
        outcome: Its row of `outcomes`.
        request_set: Its set's row of `edition_sets`.
        responses: The responses to the three requests of the set.
    """

    outcome: Row
    request_set: Row
    responses: Sequence[TracedResponse]


@dataclass(frozen=True, slots=True)
class Trace:
    """A reported number with everything behind it.

    Attributes:
        number: Its row of `statistics`.
        rows: The rows behind it, by key.
    """

    number: Row
    rows: Sequence[TracedRow]


@dataclass(frozen=True, slots=True)
class TracedCount:
    """A count of the funnel of construction, or of the review, with the rows behind it.

    Attributes:
        number: Its row of `construction_funnel` or `review_numbers`.
        columns: Names of the columns of the rows.
        rows: The rows, as the query in its `formula` lists them.
    """

    number: Row
    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]


class Tracer:
    """Follows numbers of one warehouse.

    Args:
        store: The warehouse.
        archive: Where replies are.
        seed: Seed of the bootstrap intervals.
        resamples: Number of their resamples.
    """

    def __init__(
        self, store: CellStore, archive: ResponseArchive, *, seed: int, resamples: int
    ) -> None:
        self._store = store
        self._archive = archive
        self._seed = seed
        self._resamples = resamples
        self._numbers = _by_key(store.read_all(STATISTICS), "number_id")
        self._counts = _by_key(store.read_all(CONSTRUCTION_FUNNEL), "number_id")
        self._review = _by_key(store.read_all(REVIEW_NUMBERS), "number_id")
        self._outcomes = _by_key(store.read_all(OUTCOMES), "outcome_id")
        self._responses = _by_key(store.read_all(RESPONSES), "response_id")
        self._scores = _by_key(store.read_all(SCORES), "score_id")
        self._judgements = _by_key(store.read_all(JUDGEMENTS), "response_id")
        self._sets = _by_key(store.read_all(EDITION_SETS), "set_id")

    @property
    def number_ids(self) -> list[str]:
        """The ids of all reported numbers of the evaluation, sorted."""
        return sorted(self._numbers)

    @property
    def count_ids(self) -> list[str]:
        """The ids of all counts of the funnel of construction, sorted."""
        return sorted(self._counts)

    @property
    def review_ids(self) -> list[str]:
        """The ids of all numbers of the review of the edition, sorted."""
        return sorted(self._review)

    def trace(self, number_id: str) -> Trace:
        """Follow a number down to its replies, recomputing every step.

        The number is computed again from its rows, each row from its scores and judgements, and
        each response is read again from its archived replies. Where people's verdicts decide
        which sets it covers, the verdicts are asked again.

        Raises:
            SpecBridgeError: There is no such number.
            TraceMismatchError: A step gives something else than what is stored.
        """
        number = self._numbers.get(number_id)
        if number is None:
            raise self._unknown(number_id)
        rows = [self._found(self._outcomes, key, "outcomes") for key in number["row_keys"]]
        again = recomputed(number, rows, seed=self._seed, resamples=self._resamples)
        _require_equal(number, again or {}, f"number {number_id}")
        self._require_reviewed(number, rows)
        return Trace(number, [self._row(row) for row in rows])

    def count(self, count_id: str) -> TracedCount:
        """List the rows behind a count of the funnel, counting it again in two ways.

        The query in its formula is run on the warehouse, and the whole funnel is counted again
        from the stored rows of construction.

        Raises:
            SpecBridgeError: There is no such count.
            TraceMismatchError: Either way gives something else than what is stored.
        """
        stored = self._counts.get(count_id)
        if stored is None:
            raise self._unknown(count_id)
        # Views take time to open, and a query reads few of them.
        read = [schema for schema in CONSTRUCTION_SCHEMAS if schema.name in stored["formula"]]
        found = query_warehouse(self._store, read, stored["formula"])
        what = f"count {count_id}"
        _require_equal(stored, {"count": len(found.rows)}, what, partly=True)
        _require_equal(stored, self._counted_again.get(count_id, {}), what)
        return TracedCount(stored, found.columns, sorted(found.rows, key=str))

    def review(self, number_id: str) -> TracedCount:
        """List the verdicts behind a number of the review, counting it again in two ways.

        The query in its formula is run on the warehouse, and the whole review is counted again
        from the stored verdicts.

        Raises:
            SpecBridgeError: There is no such number.
            TraceMismatchError: Either way gives something else than what is stored.
        """
        stored = self._review.get(number_id)
        if stored is None:
            raise self._unknown(number_id)
        found = query_warehouse(self._store, [EDITION_VERDICTS], stored["formula"])
        what = f"number {number_id}"
        listed = "denominator" if stored["between"] else "numerator"
        _require_equal(stored, {listed: len(found.rows)}, what, partly=True)
        sets = self._review["review/read"]["denominator"]
        again = review_numbers(self._verdicts, stored["edition"], sets)
        _require_equal(stored, _row_by_id(again, number_id), what)
        return TracedCount(stored, found.columns, sorted(found.rows, key=str))

    @cached_property
    def _verdicts(self) -> list[dict[str, Any]]:
        return self._store.read_all(EDITION_VERDICTS).to_dicts()

    def _require_reviewed(self, number: Row, rows: Sequence[Row]) -> None:
        """Refuse a number over other sets than its scope says, where verdicts decide the scope."""
        if not number["scope"].startswith("review="):
            return
        covered = reviewed_ids(self._verdicts).get(number["scope"], frozenset())
        for row in rows:
            if row["set_id"] not in covered:
                raise TraceMismatchError(
                    f"set {row['set_id']} does not belong to the scope {number['scope']}",
                    where=f"number {number['number_id']}",
                    advice="run `specbridge run`: the verdicts have changed",
                )

    @cached_property
    def _counted_again(self) -> dict[str, Row]:
        databases = {row["database"] for row in self._counts.values()} - {""}
        rows = read_construction(self._store, sorted(databases))
        return {row["number_id"]: row for row in construction_funnel(rows)}

    def _unknown(self, number_id: str) -> SpecBridgeError:
        known = [*self._numbers, *self._counts, *self._review]
        close = difflib.get_close_matches(number_id, known, n=3, cutoff=0.3)
        return SpecBridgeError(
            f"there is no reported number '{number_id}'",
            where="statistics",
            advice=f"close to it: {', '.join(close)}"
            if close
            else "list them: specbridge sql 'select number_id from statistics'",
        )

    def _row(self, outcome: Row) -> TracedRow:
        request_set = self._found(self._sets, outcome["set_id"], "edition_sets")
        responses = [self._response(key) for key in outcome["response_ids"]]
        again = outcome_rows(
            [request_set],
            [response.row for response in responses],
            [score for response in responses for score in response.scores],
            [response.judgement for response in responses],
        )
        _require_equal(outcome, again[0] if again else {}, f"outcome {outcome['outcome_id']}")
        return TracedRow(outcome, request_set, responses)

    def _response(self, response_id: str) -> TracedResponse:
        row = self._found(self._responses, response_id, "responses")
        replies = []
        for key in row["calls"]:
            reply = self._archive.get(key)
            if reply is None:
                raise TraceMismatchError(
                    f"the archive has no reply {key[:12]}…", where=f"response {response_id}"
                )
            replies.append(TracedReply(reply, self._archive.request_of(key)))
        again = response_reader(row["method"])([each.reply for each in replies])
        _require_equal(
            row,
            {
                "sql": again.sql,
                "alternative_sql": [other.sql for other in again.alternatives],
                "alternative_interpretations": [
                    other.interpretation for other in again.alternatives
                ],
                "explanation": again.explanation,
                "problem": again.problem,
            },
            f"response {response_id}",
            partly=True,
        )
        scores = [score for score in self._scores.values() if score["response_id"] == response_id]
        judgement = self._found(self._judgements, response_id, "judgements")
        return TracedResponse(row, scores, judgement, replies)

    def _found(self, rows: Mapping[str, Row], key: str, view: str) -> Row:
        if key not in rows:
            raise TraceMismatchError(
                f"the row '{key}' behind it is not there",
                where=view,
                advice="run `specbridge run`: the warehouse is not up to date",
            )
        return rows[key]


def rescore(
    trace: Trace,
    score: Callable[[str, Sequence[Row]], Sequence[Row]],
) -> int:
    """Run every query behind a number again and compare its verdicts with the stored ones.

    Args:
        trace: The number.
        score: (database, rows of `responses`) → rows of `scores`, by execution.

    Returns:
        The number of verdicts compared.

    Raises:
        TraceMismatchError: A verdict differs.
    """
    compared = 0
    for row in trace.rows:
        responses = [response.row for response in row.responses]
        stored = {s["score_id"]: s for response in row.responses for s in response.scores}
        for again in score(row.outcome["database"], responses):
            _require_equal(stored[again["score_id"]], again, f"score {again['score_id']}")
            compared += 1
    return compared


def as_json(trace: Trace) -> dict[str, Any]:
    """Return a trace as plain JSON values."""
    return {
        "number": dict(trace.number),
        "rows": [
            {
                "outcome": dict(row.outcome),
                "request_set": dict(row.request_set),
                "responses": {
                    RequestKind(response.row["request_kind"]).value: {
                        "response": dict(response.row),
                        "scores": [dict(score) for score in response.scores],
                        "judgement": dict(response.judgement),
                        "replies": [
                            {
                                "key": each.reply.key,
                                "text": each.reply.text,
                                "finish_reason": each.reply.finish_reason,
                                "asked_at": each.reply.asked_at,
                                "request": each.request,
                            }
                            for each in response.replies
                        ],
                    }
                    for response in row.responses
                },
            }
            for row in trace.rows
        ],
    }


def _by_key(frame: pl.DataFrame, key: str) -> dict[str, Row]:
    return {row[key]: row for row in frame.iter_rows(named=True)}


def _row_by_id(rows: Sequence[Row], number_id: str) -> Row:
    return next((row for row in rows if row["number_id"] == number_id), {})


def _require_equal(stored: Row, again: Row, what: str, *, partly: bool = False) -> None:
    names = again.keys() if partly else stored.keys() | again.keys()
    for name in sorted(names):
        old, new = stored.get(name), again.get(name)
        if old != new and not (_is_nan(old) and _is_nan(new)):
            raise TraceMismatchError(
                f"{name} is stored as {old!r} and comes out as {new!r}",
                where=what,
                advice="the warehouse was changed or is out of date; run `specbridge run`",
            )


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
