"""The measures of a set and model, and the outcome of the open request (the paper, Section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from specbridge_pipeline.comparison.verdict import VerdictKind
from specbridge_pipeline.evaluation.scoring import FAILED, MAIN
from specbridge_pipeline.request_sets.records import RequestKind, Side


class Outcome(StrEnum):
    """What became of an open request; the first that applies, in this order (Figure 8)."""

    BOTH_RETURNED = "both_returned"
    """One query is accepted for A and another for B."""
    DOES_NOT_RUN = "does_not_run"
    """A specific answer does not run, and none of those that run is wrong."""
    COMPUTED_WRONG = "computed_wrong"
    """A specific request is computed wrong."""
    NAMED_ONE = "named_one"
    """Both computable; the choice is named and one interpretation given."""
    SILENT_ONE = "silent_one"
    """Both computable; one interpretation given and nothing said."""
    NEITHER = "neither"
    """Both computable, and neither is given. Not among the paper's five."""


def outcome_rows(
    sets: Iterable[Mapping[str, Any]],
    responses: Iterable[Mapping[str, Any]],
    scores: Iterable[Mapping[str, Any]],
    judgements: Iterable[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Work out every measure of every set that a model answered whole.

    Args:
        sets: Rows of `edition_sets`.
        responses: Rows of `responses`, of any models, methods and rounds.
        scores: Rows of `scores` of these responses.
        judgements: Rows of `judgements` of these responses.

    Returns:
        Rows of `outcomes`; a set of which one of the three requests has no response has none.
    """
    scores_of = _grouped(scores, "response_id")
    judgement_of = {row["response_id"]: row for row in judgements}
    answered: dict[tuple[str, ...], dict[RequestKind, Mapping[str, Any]]] = {}
    for row in responses:
        origin = tuple(row[name] for name in _ORIGIN)
        answered.setdefault(origin, {})[RequestKind(row["request_kind"])] = row
    set_of = {(row["edition"], row["set_id"]): row for row in sets}
    rows = []
    for origin, of_kind in sorted(answered.items()):
        if len(of_kind) != len(RequestKind):
            continue
        values = dict(zip(_ORIGIN, origin, strict=True))
        row = _outcome_row(
            {kind: _Answer(of_kind[kind], scores_of, judgement_of) for kind in RequestKind}
        )
        of_set = set_of[values["edition"], values["set_id"]]
        rows.append(
            {
                "outcome_id": "/".join(
                    values[name] for name in ("set_id", "model", "method", "round", "variant")
                ),
                **values,
                "choice_type": of_set["choice_type"],
                "tier": of_set["tier"],
                **row,
            }
        )
    return rows


_ORIGIN = ("edition", "set_id", "database", "model", "method", "round", "variant")


class _Answer:
    """One response with its scores and its judgement."""

    def __init__(
        self,
        response: Mapping[str, Any],
        scores_of: Mapping[str, Sequence[Mapping[str, Any]]],
        judgement_of: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self.response_id: str = response["response_id"]
        self.scores = scores_of[self.response_id]
        judgement = judgement_of[self.response_id]
        self.names_choice: bool = judgement["names_choice"]
        self.judge: str = judgement["judge"]

    def accepted(self, side: Side, *, column: str = "verdict") -> set[str]:
        """Names of the queries that are accepted for an interpretation."""
        return {
            row["query"]
            for row in self.scores
            if row["interpretation"] == side and row[column] == VerdictKind.EQUAL
        }

    @property
    def runs(self) -> bool:
        """Whether the main query gave a result."""
        return not any(row["query"] == MAIN and row["verdict"] in FAILED for row in self.scores)

    @property
    def has_other_alternative(self) -> bool:
        """Whether an alternative runs and is accepted for neither interpretation."""
        taken = self.accepted(Side.A) | self.accepted(Side.B)
        return any(
            row["query"] not in {MAIN, *taken} and row["verdict"] not in FAILED
            for row in self.scores
        )


def _outcome_row(answers: Mapping[RequestKind, _Answer]) -> dict[str, Any]:
    specific = {Side.A: answers[RequestKind.SPECIFIC_A], Side.B: answers[RequestKind.SPECIFIC_B]}
    opened = answers[RequestKind.OPEN]
    row: dict[str, Any] = {"judge": opened.judge}
    for side, answer in specific.items():
        row[f"right_{side}"] = MAIN in answer.accepted(side)
        row[f"runs_{side}"] = answer.runs
        row[f"right_{side}_allowing_columns"] = MAIN in answer.accepted(
            side, column="allowing_columns"
        )
        row[f"false_alarm_alternative_{side}"] = bool(answer.accepted(side.other) - {MAIN})
        row[f"false_alarm_named_{side}"] = answer.names_choice
        row[f"other_alternative_{side}"] = answer.has_other_alternative
    found = {side: opened.accepted(side) for side in Side}
    one_query = opened.accepted(Side.A, column="allowing_columns") & opened.accepted(
        Side.B, column="allowing_columns"
    )
    main = [side.value for side in Side if MAIN in found[side]]
    row |= {
        "both_computable": row["right_a"] and row["right_b"],
        "both_returned": bool(found[Side.A] and found[Side.B]),
        "both_returned_by_one_query": bool(one_query),
        "found_a": bool(found[Side.A]),
        "found_b": bool(found[Side.B]),
        "named": opened.names_choice,
        "main_answer": main[0] if main else "neither",
        "score_ids": sorted(s["score_id"] for answer in answers.values() for s in answer.scores),
        "response_ids": [answers[kind].response_id for kind in RequestKind],
    }
    row["outcome"] = _outcome(row).value
    return row


def _outcome(row: Mapping[str, Any]) -> Outcome:
    if row["both_returned"]:
        return Outcome.BOTH_RETURNED
    wrong = [side for side in Side if not row[f"right_{side}"]]
    if any(row[f"runs_{side}"] for side in wrong):
        return Outcome.COMPUTED_WRONG
    if wrong:
        return Outcome.DOES_NOT_RUN
    if not (row["found_a"] or row["found_b"]):
        return Outcome.NEITHER
    return Outcome.NAMED_ONE if row["named"] else Outcome.SILENT_ONE


def _grouped(rows: Iterable[Mapping[str, Any]], key: str) -> dict[str, list[Mapping[str, Any]]]:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups
