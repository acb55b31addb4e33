"""A response to one request as one row of JSON Lines, for others to read and to write."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from pydantic import Field, model_validator

from specbridge_pipeline.evaluation.methods.explained import MOST_ALTERNATIVES
from specbridge_pipeline.exchange.json_lines import ExchangeModel
from specbridge_pipeline.request_sets.records import ID_LENGTH, RequestKind
from specbridge_pipeline.settings import SLUG

FORMAT: Final = 1

KINDS: Mapping[str, RequestKind] = {
    "a": RequestKind.SPECIFIC_A,
    "b": RequestKind.SPECIFIC_B,
    "open": RequestKind.OPEN,
}
"""What a row calls a request → its kind."""

_SHORT = {kind: name for name, kind in KINDS.items()}


class AlternativeRow(ExchangeModel):
    """A further interpretation that a response offers."""

    interpretation: str = Field(default="", description="What the response says that it means.")
    sql: str = Field(description="Its query.")


class ScoreRow(ExchangeModel):
    """What one query of a response is worth for one interpretation."""

    query: str = Field(description="main, alternative_1 or alternative_2.")
    interpretation: Literal["a", "b"] = Field(description="The interpretation.")
    verdict: str = Field(description="Verdict of execution; `equal` is the one that counts.")
    allowing_columns: str = Field(description="The verdict that allows extra or reordered columns.")
    reason: str = Field(description="Why it is not equal.")


class ResponseRow(ExchangeModel):
    """What a model answered to one request of a set."""

    format: Literal[1] = Field(default=FORMAT, description="Version of this form.")
    edition: str | None = Field(default=None, description="The edition that the set is in.")
    set_id: str = Field(pattern=rf"^[0-9a-f]{{{ID_LENGTH}}}$", description="Content id of the set.")
    request: Literal["a", "b", "open"] = Field(
        description="Which request was answered: specific to A, specific to B, or open."
    )
    model: str = Field(
        pattern=SLUG, description="Id of the model or system: lower case, digits, '_', '.', '-'."
    )
    reply: str | None = Field(
        default=None,
        description="The raw text of the reply, which is read as a reply to the default prompt is. "
        "Give this, or the fields that follow.",
    )
    sql: str | None = Field(
        default=None, description="The main query; empty where the reply has none."
    )
    alternatives: tuple[AlternativeRow, ...] = Field(
        default=(), max_length=MOST_ALTERNATIVES, description="At most two further interpretations."
    )
    explanation: str = Field(default="", description="What the response says in words.")
    method: str | None = Field(
        default=None, description="How the model was asked. Not read by an import."
    )
    round: str | None = Field(
        default=None, description="The round of evaluation; an import takes round 1 alone."
    )
    problem: str | None = Field(
        default=None, description="Why the reply could not be read. Not read by an import."
    )
    scores: tuple[ScoreRow, ...] | None = Field(
        default=None, description="Verdicts of execution. Not read by an import, which scores anew."
    )
    judge: str | None = Field(
        default=None,
        description="Who read the explanation: rules, or a model. Not read by an import.",
    )
    names_choice: bool | None = Field(
        default=None,
        description="Whether its words say that the choice is open. Not read by an import.",
    )

    @model_validator(mode="after")
    def _one_form(self) -> ResponseRow:
        if self.reply is None and self.sql is None:
            raise ValueError("give 'reply', or 'sql' with what goes with it")
        if self.reply is not None and (self.sql is not None or self.alternatives):
            raise ValueError("give 'reply' or 'sql', not both")
        if self.reply is not None and self.explanation:
            raise ValueError("an explanation beside a raw 'reply' would not be read")
        return self

    @property
    def kind(self) -> RequestKind:
        """Which of the three requests was answered."""
        return KINDS[self.request]

    @property
    def reply_text(self) -> str:
        """The reply as it goes to the archive: as it was, or its parts in the form asked for."""
        if self.reply is not None:
            return self.reply
        return json.dumps(
            {
                "sql": self.sql,
                "explanation": self.explanation,
                "alternatives": [each.model_dump() for each in self.alternatives],
            },
            ensure_ascii=False,
        )


def response_row(
    response: Mapping[str, Any], scores: Sequence[Mapping[str, Any]], judgement: Mapping[str, Any]
) -> ResponseRow:
    """Return a stored response as a row.

    Args:
        response: A row of RESPONSES.
        scores: Its rows of SCORES.
        judgement: Its row of JUDGEMENTS.
    """
    offered = zip(response["alternative_interpretations"], response["alternative_sql"], strict=True)
    return ResponseRow(
        edition=response["edition"],
        set_id=response["set_id"],
        request=_SHORT[RequestKind(response["request_kind"])],  # type: ignore[arg-type]
        model=response["model"],
        sql=response["sql"],
        alternatives=tuple(AlternativeRow(interpretation=said, sql=sql) for said, sql in offered),
        explanation=response["explanation"],
        method=response["method"],
        round=response["round"],
        problem=response["problem"],
        scores=tuple(
            ScoreRow(
                query=each["query"],
                interpretation=each["interpretation"],
                verdict=each["verdict"],
                allowing_columns=each["allowing_columns"],
                reason=each["reason"],
            )
            for each in sorted(scores, key=lambda row: row["score_id"])
        ),
        judge=judgement["judge"],
        names_choice=judgement["names_choice"],
    )
